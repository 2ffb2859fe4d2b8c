import type { TestResult } from './kits.ts';

/** Why a test of the kits does not pass. */
export interface Verdict {
  /** Who is responsible: the kit, through a fault of its own, or we, through a decision. */
  readonly whose: 'kit' | 'decision';
  readonly sentence: string;
}

interface KnownFailure extends Verdict {
  readonly version: TestResult['version'];
  /** What the test's id ends with, or a part of it. */
  readonly test: RegExp;
  /** What it failed with; any where it isn't said. */
  readonly message?: RegExp;
}

const known: readonly KnownFailure[] = [
  {
    version: '1.0',
    test: /test_subscribe_rejects_terminal_task\[jsonrpc\]/,
    message: /should return an error, but succeeded/,
    whose: 'kit',
    sentence:
      'It accepts text/event-stream alone, and is answered by an event that carries -32004; the test takes any stream for a success.',
  },
  {
    version: '0.3',
    test: /test_push_notification_not_supported_error_32003_enhanced/,
    message: /Expected error response for unsupported push notifications/,
    whose: 'kit',
    sentence:
      'It looks for the capabilities one level too high in what its helper answers, takes the agent for one without push notifications, and wants a refusal.',
  },
  {
    version: '0.3',
    test: /test_get_push_notification_config$/,
    message: /There is no such push notification config/,
    whose: 'kit',
    sentence: 'It registers a config without an id, and asks for one with the id default.',
  },
  {
    version: '0.3',
    test: /test_rejects_invalid_json_rpc_requests\[invalid_request[24]-/,
    whose: 'kit',
    sentence: 'The request has no id: by JSON-RPC 2.0 it is a notification, which is never answered.',
  },
  {
    version: '0.3',
    test: /test_extended_agent_card_endpoint_exists|test_extended_agent_card_authentication_required|test_extended_card_access_controls/,
    message: /404|endpoint/,
    whose: 'kit',
    sentence:
      'It asks at the address of the REST binding, /v1/card, of an agent whose card names JSON-RPC only.',
  },
  {
    version: '0.3',
    test: /test_public_agent_card_access_control/,
    whose: 'kit',
    sentence: 'It reads the address of JSON-RPC as if it were that of the card.',
  },
  {
    version: '0.3',
    test: /test_sensitive_information_protection/,
    whose: 'kit',
    sentence:
      'It takes the name of the scheme apiKey, and the loopback address under which the platform runs in the test, for secrets.',
  },
  {
    version: '0.3',
    test: /test_invalid_authentication$/,
    message: /header value/,
    whose: 'kit',
    sentence: 'Its own HTTP client refuses the header that it makes.',
  },
  {
    version: '0.3',
    test: /test_tasks_resubscribe_nonexistent/,
    message: /-32001/,
    whose: 'kit',
    sentence: 'The answer is -32001, which its own client throws; the test looks for it among the events.',
  },
  {
    version: '0.3',
    test: /test_https_url_in_agent_card/,
    whose: 'kit',
    sentence:
      'It wants HTTPS of a platform on the loopback address; the card has the public address, which may be HTTP.',
  },
  {
    version: '0.3',
    test: /test_task_state_transitions/,
    message: /Unexpected initial state: input-required/,
    whose: 'decision',
    sentence:
      'message/send answers when the task has ended or asks, unless the client says blocking: false; the test expects it to answer sooner.',
  },
];

export function verdictOf({ version, test, message }: TestResult): Verdict | undefined {
  return known.find(
    (one) => one.version === version && one.test.test(test) && (one.message?.test(message) ?? true),
  );
}
