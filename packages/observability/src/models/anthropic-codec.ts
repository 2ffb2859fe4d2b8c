import { argumentsOf } from './tool-argument-rules.ts';
import { inlineImage } from './image-rules.ts';
import type { ChatMessage, ChatPart, ModelCall, ModelCodec, ModelEvent, ModelUsage } from './model-call.ts';
import { count, list, optionalText, record, said, text } from './loose-json-rules.ts';

/** The Messages API, as Anthropic documents it. */

/** The API requires a limit. */
const MAX_TOKENS = 4096;

export const anthropicCodec: ModelCodec = {
  default_base_url: 'https://api.anthropic.com',
  models_path: '/v1/models?limit=1000',
  headers: (api_key) => ({
    'anthropic-version': '2023-06-01',
    ...(api_key === null ? {} : { 'x-api-key': api_key }),
  }),
  request: (call) => ({ path: '/v1/messages', body: bodyOf(call) }),
  modelsIn: (answer) => list(record(answer)['data']).flatMap((one) => optionalText(record(one)['id']) ?? []),
  eventsOf: (event) => readers[text(record(event)['type'])]?.(record(event)) ?? [],
  answerOf: (given) => {
    const answer = record(given);
    if (!Array.isArray(answer['content'])) return [];
    return [
      ...answer['content'].flatMap((block: unknown, index) => blockOf(block, { index, is_whole: true })),
      ...usageOf(answer['usage']),
      { type: 'finish', reason: optionalText(answer['stop_reason']) ?? 'end_turn' },
    ];
  },
};

const readers: Readonly<Record<string, (event: Readonly<Record<string, unknown>>) => readonly ModelEvent[]>> =
  {
    message_start: (event) => usageOf(record(event['message'])['usage']),
    content_block_start: (event) =>
      blockOf(event['content_block'], { index: count(event['index']), is_whole: false }),
    content_block_delta: (event) => deltaOf(record(event['delta']), count(event['index'])),
    message_delta: (event) => {
      const reason = optionalText(record(event['delta'])['stop_reason']);
      return [
        ...usageOf(event['usage']),
        ...(reason === undefined ? [] : [{ type: 'finish', reason } as const]),
      ];
    },
  };

function blockOf(
  given: unknown,
  { index, is_whole }: { readonly index: number; readonly is_whole: boolean },
): ModelEvent[] {
  const block = record(given);
  if (block['type'] === 'tool_use')
    return [
      {
        type: 'tool_call',
        index,
        id: optionalText(block['id']),
        name: optionalText(block['name']),
        // In a stream the input comes by deltas, and an empty object stands here.
        arguments: is_whole ? JSON.stringify(block['input'] ?? {}) : '',
      },
    ];
  return wordOf(block);
}

function deltaOf(delta: Readonly<Record<string, unknown>>, index: number): ModelEvent[] {
  if (delta['type'] === 'input_json_delta')
    return [{ type: 'tool_call', index, arguments: text(delta['partial_json']) }];
  return wordOf(delta);
}

function wordOf(given: Readonly<Record<string, unknown>>): ModelEvent[] {
  const [words, thought] = [text(given['text']), text(given['thinking'])];
  if (words !== '') return [{ type: 'text', text: words }];
  return thought === '' ? [] : [{ type: 'reasoning', text: thought }];
}

/** The last event of a stream counts again what comes out, and may count again what came in. */
function usageOf(given: unknown): ModelEvent[] {
  const usage = record(given);
  const has = (name: string) => typeof usage[name] === 'number';
  const [cache_creation, cache_read] = [
    count(usage['cache_creation_input_tokens']),
    count(usage['cache_read_input_tokens']),
  ];
  const found: Partial<ModelUsage> = {
    ...(has('input_tokens')
      ? {
          input_tokens: count(usage['input_tokens']) + cache_creation + cache_read,
          input_token_details: cache_creation + cache_read === 0 ? {} : { cache_creation, cache_read },
        }
      : {}),
    ...(has('output_tokens') ? { output_tokens: count(usage['output_tokens']) } : {}),
  };
  return Object.keys(found).length === 0 ? [] : [{ type: 'usage', usage: found }];
}

function bodyOf({ model, messages, parameters, stream }: ModelCall) {
  const { tools, tool_choice, response_format, stop, max_tokens, temperature, top_p, extra_body } =
    parameters;
  const system = messages
    .filter(({ role }) => role === 'system')
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? part.text : [])));
  return {
    max_tokens: max_tokens ?? MAX_TOKENS,
    ...extra_body,
    ...said({
      temperature,
      top_p,
      max_tokens,
      stop_sequences: typeof stop === 'string' ? [stop] : stop,
      system: system.length === 0 ? undefined : system.join('\n\n'),
      tools: tools?.map(({ function: { name, description, parameters: schema } }) =>
        said({ name, description, input_schema: schema ?? { type: 'object', properties: {} } }),
      ),
      tool_choice: choiceOf(tool_choice),
      output_config: response_format && {
        ...record(extra_body?.['output_config']),
        format: { type: 'json_schema', schema: response_format.json_schema.schema },
      },
    }),
    model,
    messages: turnsOf(messages.filter(({ role }) => role !== 'system')),
    ...(stream ? { stream: true } : {}),
  };
}

function choiceOf(choice: ModelCall['parameters']['tool_choice']) {
  if (choice === null || choice === undefined) return undefined;
  if (typeof choice === 'object') return { type: 'tool', name: choice.function.name };
  return { type: choice === 'required' ? 'any' : choice };
}

interface AnthropicTurn {
  readonly role: 'user' | 'assistant';
  readonly content: object[];
}

/** The answers of tools stand in a turn of the user, together. */
function turnsOf(messages: readonly ChatMessage[]): AnthropicTurn[] {
  const turns: AnthropicTurn[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocksOf(message));
    else turns.push({ role, content: blocksOf(message) });
  }
  return turns;
}

function blocksOf({ role, parts, tool_calls = [], tool_call_id }: ChatMessage): object[] {
  const content = parts.filter((part) => part.type !== 'text' || part.text !== '').map(partOf);
  if (role === 'tool') return [{ type: 'tool_result', tool_use_id: tool_call_id ?? '', content }];
  const calls = tool_calls.map(({ id, name, arguments: json }) => ({
    type: 'tool_use',
    id,
    name,
    input: argumentsOf(json),
  }));
  return [...content, ...calls];
}

function partOf(part: ChatPart): object {
  if (part.type === 'text') return part;
  const inline = inlineImage(part.url);
  return {
    type: 'image',
    source: inline === undefined ? { type: 'url', url: part.url } : { type: 'base64', ...inline },
  };
}
