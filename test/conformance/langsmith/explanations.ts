import type { TestResult } from './suites.ts';

/** Why a test does not pass: either it cannot here, or it is a miss of ours. */
export interface Explanation {
  readonly sentence: string;
  /** Whether it could pass here. */
  readonly possible: boolean;
}

interface Rule extends Explanation {
  readonly test?: RegExp;
  readonly message?: RegExp;
}

/** Rules match `file › name` and the message; the first that fits counts. */
const rules: readonly Rule[] = [
  {
    test: /evaluators.generated.client.CRUD/i,
    possible: false,
    sentence:
      'It is about evaluators that call a model, which are refused in words: scores are given as feedback, and rules act without a model.',
  },
  {
    test: /test_pull_prompt_include_model/,
    message: /manifest contains secrets/,
    possible: false,
    sentence:
      'The released `langchain-core` refuses the manifest that the test itself pushes, from any server.',
  },
  {
    test: /Test share and unshare run/,
    message: /ECONNREFUSED 127\.0\.0\.1:3000/,
    possible: false,
    sentence:
      'It opens the web page of the run at port 3000, where the SDK guesses one for any local server.',
  },
  {
    test: /test_update_run_attachments/,
    message: /tzinfo/,
    possible: false,
    sentence: 'The test expects a time without a zone, where the released SDK itself adds one.',
  },
  {
    test: /create example errors/,
    message: /rejects\.toThrow/,
    possible: false,
    sentence:
      'The released SDK words its own error in another way than the test, which is of an older release.',
  },
  {
    test: /test_fallback_json_serialization|test_slow_run_read_multipart|test_experiment_manager_existing_name/,
    message: /ud83d|rqtb_multipart|Cannot specify both/,
    possible: false,
    sentence:
      'It is about the inside of an older release of the SDK, and asks the server nothing where it fails.',
  },
  {
    test: /test_tracing_fake_server/,
    message: /'Server' object has no attribute 'servers'/,
    possible: false,
    sentence:
      'The server of its own that the test starts was not up within the tenth of a second that it waits.',
  },
  {
    message: /openai|anthropic|OPENAI_API_KEY|CannotOverwriteExistingRequest/i,
    possible: false,
    sentence: 'It calls a model of a provider, which needs its key and the internet.',
  },
  {
    message: /smith\.langchain\.com|ENOTFOUND|Temporary failure in name resolution|getaddrinfo/,
    possible: false,
    sentence: 'It asks the hosted service, which needs the internet.',
  },
];

export function explanationOf(result: TestResult): Explanation | undefined {
  const name = `${result.file} › ${result.name}`;
  return rules.find(
    ({ test, message }) => (test?.test(name) ?? true) && (message?.test(result.message) ?? true),
  );
}
