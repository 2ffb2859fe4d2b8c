/** What a model says, put together from the events of its stream. */

export interface ToolCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface ModelAnswer {
  readonly status: 'running' | 'done' | 'failed' | 'stopped';
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly usage: Usage | undefined;
  readonly run_id: string | undefined;
  readonly fault: string | undefined;
  readonly finish_reason: string | undefined;
  readonly latency_ms: number | undefined;
  readonly first_token_ms: number | undefined;
  /** Why there is no run; undefined where there is one. */
  readonly not_traced: string | undefined;
}

interface Usage {
  readonly input_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly total_tokens?: number | undefined;
}

export const begun: ModelAnswer = {
  status: 'running',
  text: '',
  reasoning: '',
  calls: [],
  usage: undefined,
  run_id: undefined,
  fault: undefined,
  finish_reason: undefined,
  latency_ms: undefined,
  first_token_ms: undefined,
  not_traced: undefined,
};

type EventData = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const textOrNone = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const changes: Readonly<Record<string, (answer: ModelAnswer, said: EventData) => Partial<ModelAnswer>>> = {
  start: (_answer, { run_id }) => ({ run_id: textOrNone(run_id) }),
  text: (answer, said) => ({ text: answer.text + text(said['text']) }),
  reasoning: (answer, said) => ({ reasoning: answer.reasoning + text(said['text']) }),
  tool_call: ({ calls }, said) => ({ calls: grown(calls, said) }),
  usage: (_answer, said) => ({ usage: usageOf(said) }),
  finish: (_answer, { reason }) => ({ finish_reason: textOrNone(reason) }),
  error: (_answer, said) => ({ status: 'failed', fault: sentenceOf(said) }),
  end: (answer, said) => ({
    status: answer.fault === undefined ? 'done' : 'failed',
    latency_ms: number(said['latency_ms']),
    first_token_ms: number(said['first_token_ms']),
    not_traced: textOrNone(said['not_traced']),
  }),
};

/** The answer after one more event; events that are not known change nothing. */
export function withEvent(
  answer: ModelAnswer,
  { event, data }: { readonly event: string; readonly data: EventData },
) {
  const change = changes[event];
  return change === undefined ? answer : { ...answer, ...change(answer, data) };
}

function grown(calls: readonly ToolCall[], said: EventData): readonly ToolCall[] {
  const index = number(said['index']) ?? 0;
  const before = calls.find((call) => call.index === index);
  const next = {
    index,
    id: textOrNone(said['id']) ?? before?.id ?? '',
    name: textOrNone(said['name']) ?? before?.name ?? '',
    arguments: (before?.arguments ?? '') + text(said['arguments']),
  };
  return before === undefined ? [...calls, next] : calls.map((call) => (call === before ? next : call));
}

const usageOf = (said: EventData): Usage => ({
  input_tokens: number(said['input_tokens']),
  output_tokens: number(said['output_tokens']),
  total_tokens: number(said['total_tokens']),
});

function sentenceOf({ status, message, may_pass }: EventData): string {
  const sentence = text(message) || 'The provider failed without a word.';
  const from = typeof status === 'number' ? `The provider answered ${status}: ${sentence}` : sentence;
  return may_pass === true ? `${from} It may pass: try again in a moment.` : from;
}
