import type { ProviderKind } from '@roadstead/contracts/observability';

/**
 * What models say on each of the three wires, whole and in pieces. `good` thinks and speaks; `tools` calls two
 * functions.
 */

type Wire = Readonly<Record<ProviderKind, (model: string) => object>>;
type Stream = Readonly<Record<ProviderKind, (model: string) => string[]>>;

const CALLS = [
  { id: 'call_a', name: 'weather', args: { city: 'Paris' } },
  { id: 'call_b', name: 'time', args: {} },
] as const;

const openaiUsage = {
  prompt_tokens: 12,
  completion_tokens: 5,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const googleUsage = {
  promptTokenCount: 12,
  candidatesTokenCount: 3,
  thoughtsTokenCount: 2,
  cachedContentTokenCount: 4,
  totalTokenCount: 17,
};

const openaiCalls = CALLS.map(({ id, name, args }) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
}));

export const wireAnswers: Wire = {
  openai: (model) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [
      {
        index: 0,
        message:
          model === 'tools'
            ? { role: 'assistant', content: null, tool_calls: openaiCalls }
            : { role: 'assistant', content: 'Hé, bonjour', reasoning_content: 'Hm', refusal: null },
        finish_reason: model === 'tools' ? 'tool_calls' : 'stop',
      },
    ],
    usage: openaiUsage,
  }),
  anthropic: (model) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content:
      model === 'tools'
        ? CALLS.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))
        : [
            { type: 'thinking', thinking: 'Hm', signature: 's' },
            { type: 'text', text: 'Hé, bonjour' },
          ],
    stop_reason: model === 'tools' ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 8, cache_read_input_tokens: 4, cache_creation_input_tokens: 0, output_tokens: 5 },
  }),
  google: (model) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts:
            model === 'tools'
              ? CALLS.map(({ id, name, args }) => ({ functionCall: { id, name, args } }))
              : [{ text: 'Hm', thought: true }, { text: 'Hé, bonjour' }],
        },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: googleUsage,
    modelVersion: model,
  }),
};

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string; readonly [member: string]: unknown }) =>
  `event: ${value.type}\n${data(value)}`;

export const wireStreams: Stream = {
  openai: (model) => {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      data({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason }],
        usage: null,
      });
    const calls = openaiCalls.flatMap(({ function: called, ...call }, index) => [
      chunk({ tool_calls: [{ index, ...call, function: { name: called.name, arguments: '' } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: called.arguments.slice(0, 3) } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: called.arguments.slice(3) } }] }),
    ]);
    const words = [
      chunk({ role: 'assistant', content: '' }) + chunk({ reasoning_content: 'Hm' }),
      chunk({ content: 'Hé, ' }),
      chunk({ content: 'bonjour' }),
    ];
    return [
      ...(model === 'tools' ? calls : words),
      chunk({}, model === 'tools' ? 'tool_calls' : 'stop'),
      data({ id: 'chatcmpl-1', object: 'chat.completion.chunk', model, choices: [], usage: openaiUsage }),
      'data: [DONE]\n\n',
    ];
  },
  anthropic: (model) => {
    const usage = { input_tokens: 8, cache_read_input_tokens: 4, cache_creation_input_tokens: 0 };
    const block = (index: number, content_block: object, deltas: readonly object[]) => [
      named({ type: 'content_block_start', index, content_block }),
      ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
      named({ type: 'content_block_stop', index }),
    ];
    const start = named({
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        content: [],
        model,
        usage: { ...usage, output_tokens: 1 },
      },
    });
    const calls = CALLS.flatMap(({ id, name, args }, index) => {
      const json = JSON.stringify(args);
      return block(index, { type: 'tool_use', id, name, input: {} }, [
        { type: 'input_json_delta', partial_json: json.slice(0, 3) },
        { type: 'input_json_delta', partial_json: json.slice(3) },
      ]);
    });
    const words = [
      ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
        { type: 'thinking_delta', thinking: 'Hm' },
        { type: 'signature_delta', signature: 's' },
      ]),
      ...block(1, { type: 'text', text: '' }, [
        { type: 'text_delta', text: 'Hé, ' },
        { type: 'text_delta', text: 'bonjour' },
      ]),
    ];
    const [first = '', ...others] = model === 'tools' ? calls : words;
    return [
      start + named({ type: 'ping' }) + first + (others[0] ?? ''),
      ...others.slice(1),
      named({
        type: 'message_delta',
        delta: { stop_reason: model === 'tools' ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: 5 },
      }),
      named({ type: 'message_stop' }),
    ];
  },
  google: (model) => {
    const chunk = (parts: readonly object[], more: object = {}) =>
      `data: ${JSON.stringify({
        candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
        usageMetadata: googleUsage,
        modelVersion: model,
      })}\r\n\r\n`;
    const end = { finishReason: 'STOP' };
    return model === 'tools'
      ? CALLS.map(({ id, name, args }, at) =>
          chunk([{ functionCall: { id, name, args } }], at === 1 ? end : {}),
        )
      : [
          chunk([{ text: 'Hm', thought: true }]),
          chunk([{ text: 'Hé, ' }]),
          chunk([{ text: 'bonjour' }], end),
        ];
  },
};
