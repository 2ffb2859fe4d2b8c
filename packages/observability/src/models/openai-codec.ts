import type { ChatMessage, ChatPart, ModelCall, ModelCodec, ModelEvent } from './model-call.ts';
import { count, list, optionalText, record, said, text } from './loose-json-rules.ts';

/** Chat completions, as OpenAI documents them and many servers speak them. */

const BASE_URL = 'https://api.openai.com/v1';

export const openaiCodec: ModelCodec = {
  default_base_url: BASE_URL,
  models_path: '/models',
  headers: (api_key) => (api_key === null ? {} : { authorization: `Bearer ${api_key}` }),
  request: (call, { base_url }) => ({ path: '/chat/completions', body: bodyOf(call, base_url) }),
  modelsIn: (answer) => list(record(answer)['data']).flatMap((one) => optionalText(record(one)['id']) ?? []),
  eventsOf: (event) => {
    const [choice] = list(record(event)['choices']);
    return [...wordsOf(record(choice)['delta']), ...finishOf(choice), ...usageOf(event)];
  },
  answerOf: (answer) => {
    const [choice] = list(record(answer)['choices']);
    if (choice === undefined) return [];
    const reason = optionalText(record(choice)['finish_reason']) ?? 'stop';
    return [...wordsOf(record(choice)['message']), { type: 'finish', reason }, ...usageOf(answer)];
  },
};

function bodyOf({ model, messages, parameters, stream }: ModelCall, base_url: string) {
  const { tools, response_format, max_tokens, extra_body, ...others } = parameters;
  // OpenAI's newer models refuse the older name, and other servers may not know the newer one.
  const limit = new URL(base_url).hostname === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens';
  const { tool_choice } = parameters;
  return {
    ...extra_body,
    ...said({
      ...others,
      [limit]: max_tokens,
      tools: tools?.map((tool) => ({ type: 'function', function: said(tool.function) })),
      tool_choice:
        typeof tool_choice === 'object' && tool_choice !== null
          ? { type: 'function', ...tool_choice }
          : tool_choice,
      response_format: response_format && {
        type: 'json_schema',
        json_schema: said(response_format.json_schema),
      },
    }),
    model,
    messages: messages.map(messageOf),
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

function messageOf({ role, parts, tool_calls = [], tool_call_id, name }: ChatMessage) {
  const calls = tool_calls.map(({ id, ...call }) => ({ id, type: 'function', function: call }));
  const content = parts.every(({ type }) => type === 'text')
    ? parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    : parts.map(partOf);
  return said({
    role,
    content: content === '' && calls.length > 0 ? undefined : content,
    tool_calls: calls.length === 0 ? undefined : calls,
    tool_call_id,
    name,
  });
}

const partOf = (part: ChatPart) =>
  part.type === 'text' ? part : { type: 'image_url', image_url: { url: part.url } };

/** A delta, or a whole message. Servers name thoughts in one of two ways. */
function wordsOf(given: unknown): ModelEvent[] {
  const delta = record(given);
  const thought = text(delta['reasoning_content']) || text(delta['reasoning']);
  const words = text(delta['content']) || text(delta['refusal']);
  return [
    ...(thought === '' ? [] : [{ type: 'reasoning', text: thought } as const]),
    ...(words === '' ? [] : [{ type: 'text', text: words } as const]),
    ...list(delta['tool_calls']).map((given_call, at): ModelEvent => {
      const call = record(given_call);
      const called = record(call['function']);
      return {
        type: 'tool_call',
        index: typeof call['index'] === 'number' ? call['index'] : at,
        id: optionalText(call['id']),
        name: optionalText(called['name']),
        arguments: text(called['arguments']),
      };
    }),
  ];
}

function finishOf(choice: unknown): ModelEvent[] {
  const reason = optionalText(record(choice)['finish_reason']);
  return reason === undefined ? [] : [{ type: 'finish', reason }];
}

function usageOf(answer: unknown): ModelEvent[] {
  const usage = record(record(answer)['usage']);
  if (typeof usage['prompt_tokens'] !== 'number') return [];
  const [input_tokens, output_tokens] = [count(usage['prompt_tokens']), count(usage['completion_tokens'])];
  const cache_read = count(record(usage['prompt_tokens_details'])['cached_tokens']);
  const reasoning = count(record(usage['completion_tokens_details'])['reasoning_tokens']);
  return [
    {
      type: 'usage',
      usage: {
        input_tokens,
        output_tokens,
        total_tokens: count(usage['total_tokens']) || input_tokens + output_tokens,
        input_token_details: cache_read === 0 ? {} : { cache_read },
        output_token_details: reasoning === 0 ? {} : { reasoning },
      },
    },
  ];
}
