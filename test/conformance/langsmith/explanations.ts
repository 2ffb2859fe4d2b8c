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

/** By `file › name` and by message; the first that fits counts. */
const rules: readonly Rule[] = [
  {
    message:
      /openai|anthropic|OPENAI_API_KEY|api\.openai\.com|CannotOverwriteExistingRequest|No module named 'langchain_(openai|anthropic)'/i,
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
