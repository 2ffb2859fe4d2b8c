import type { PlaygroundParameters, ProviderKind } from '@roadstead/contracts/observability';
import { said } from '../models/loose-json-rules.ts';
import type { ChatMessage, ModelFailure } from '../models/model-call.ts';
import type { ModelAnswer } from '../models/model-answer-parts.ts';

/** A call of a model as a run, in the form that LangSmith's clients send. */

export interface TracedCall {
  readonly run_id: string;
  readonly kind: ProviderKind;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly parameters: PlaygroundParameters;
  readonly answer: ModelAnswer;
  /** Why it ended otherwise than by the model's word. */
  readonly error: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  /** Milliseconds since 1970. */
  readonly times: { readonly start: number; readonly first_token: number | undefined; readonly end: number };
  /** Where the run belongs: `session_name`, or `session_id` and `reference_example_id`. */
  readonly place: Readonly<Record<string, string>>;
}

/** LangChain's names of providers, by which prices are found too. */
const providers: Readonly<Record<ProviderKind, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google_genai',
};

export function tracedCall(call: TracedCall): Buffer {
  const { run_id, model, times, answer, parameters, place } = call;
  const start_time = new Date(times.start).toISOString();
  const run = {
    id: run_id,
    trace_id: run_id,
    dotted_order: `${start_time.replaceAll(/[-:.Z]/g, '')}000Z${run_id}`,
    name: model,
    run_type: 'llm',
    start_time,
    end_time: new Date(times.end).toISOString(),
    ...place,
    inputs: { messages: call.messages.map(plainMessage) },
    outputs: hasOutputs(answer) ? { messages: [answerMessage(answer)], ...usageOf(answer) } : null,
    error: call.error ?? null,
    extra: { metadata: metadataOf(call), invocation_params: { model, ...said(parameters) } },
    tags: call.tags,
    events:
      times.first_token === undefined
        ? []
        : [{ name: 'new_token', time: new Date(times.first_token).toISOString() }],
  };
  return Buffer.from(JSON.stringify({ post: [run] }));
}

const hasOutputs = ({ text, reasoning, tool_calls, usage, finish_reason }: ModelAnswer) =>
  text !== '' || reasoning !== '' || tool_calls.length > 0 || usage !== undefined || finish_reason !== null;

const usageOf = ({ usage }: ModelAnswer) => (usage === undefined ? {} : { usage_metadata: usage });

function metadataOf({ kind, model, parameters, metadata }: TracedCall) {
  const { temperature, max_tokens, stop } = parameters;
  return {
    ...metadata,
    ...said({
      ls_provider: providers[kind],
      ls_model_name: model,
      ls_model_type: 'chat',
      ls_temperature: temperature,
      ls_max_tokens: max_tokens,
      ls_stop: typeof stop === 'string' ? [stop] : stop,
    }),
  };
}

/** The messages as OpenAI writes them, which readers of traces know. */
function plainMessage({ role, parts, tool_calls, tool_call_id, name }: ChatMessage) {
  const [only] = parts;
  const content =
    parts.length === 1 && only?.type === 'text'
      ? only.text
      : parts.map((part) =>
          part.type === 'text' ? part : { type: 'image_url', image_url: { url: part.url } },
        );
  return said({ role, content, tool_calls: tool_calls?.map(plainCall), tool_call_id, name });
}

export function answerMessage({ text, reasoning, tool_calls }: ModelAnswer) {
  return said({
    role: 'assistant',
    content: text,
    reasoning_content: reasoning === '' ? undefined : reasoning,
    tool_calls: tool_calls.length === 0 ? undefined : tool_calls.map(plainCall),
  });
}

const plainCall = ({ id, name, arguments: json }: { id: string; name: string; arguments: string }) => ({
  id,
  type: 'function',
  function: { name, arguments: json },
});

export const failureText = ({ status, message }: ModelFailure): string =>
  status === null ? message : `${status}: ${message}`;
