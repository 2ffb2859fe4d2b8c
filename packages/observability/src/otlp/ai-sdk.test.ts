import { expect, it } from 'vitest';
import { runOfSpan, type SpanAttributes } from '../testing/spans.ts';

/**
 * Spans as the AI SDK exports them by OpenTelemetry itself, in its versions 4 to 6 and, where it is configured to, 7.
 */

const called = (more: SpanAttributes): SpanAttributes => ({
  'ai.operationId': 'ai.generateText.doGenerate',
  'ai.model.provider': 'openai.chat',
  'ai.model.id': 'model-1',
  'ai.telemetry.metadata.tier': 'gold',
  'ai.prompt.messages': '[{"role":"user","content":[{"type":"text","text":"How is it there?"}]}]',
  'ai.prompt.tools': ['{"type":"function","name":"weather"}'],
  'ai.response.text': 'Let me look.',
  'ai.response.model': 'model-1',
  ...more,
});
const conventions = {
  'gen_ai.system': 'openai.chat',
  'gen_ai.request.model': 'model-1',
  'gen_ai.request.temperature': 0.5,
  'gen_ai.usage.input_tokens': 12,
  'gen_ai.usage.output_tokens': 5,
};
const detailed = {
  'ai.usage.inputTokens': 12,
  'ai.usage.inputTokenDetails.noCacheTokens': 7,
  'ai.usage.inputTokenDetails.cacheReadTokens': 4,
  'ai.usage.inputTokenDetails.cacheWriteTokens': 1,
  'ai.usage.outputTokens': 5,
  'ai.usage.outputTokenDetails.reasoningTokens': 2,
  'ai.usage.totalTokens': 17,
  'ai.usage.reasoningTokens': 2,
  'ai.usage.cachedInputTokens': 4,
};
const calls = (one: object) => JSON.stringify([{ toolCallId: 'c1', toolName: 'weather', ...one }]);
const in4 = calls({ toolCallType: 'function', args: '{"city":"Paris"}' });
const in5 = calls({ input: '{"city":"Paris"}' });

it.each<[string, SpanAttributes & { readonly 'ai.response.toolCalls': string }, object]>([
  ['4', { 'ai.usage.promptTokens': 12, 'ai.usage.completionTokens': 5, 'ai.response.toolCalls': in4 }, {}],
  [
    '5',
    {
      'ai.usage.inputTokens': 12,
      'ai.usage.outputTokens': 5,
      'ai.usage.totalTokens': 17,
      'ai.usage.reasoningTokens': 2,
      'ai.usage.cachedInputTokens': 4,
      'ai.response.toolCalls': in5,
    },
    { prompt_token_details: { cache_read: 4 }, completion_token_details: { reasoning: 2 } },
  ],
  [
    '6',
    { ...detailed, 'ai.response.reasoning': 'hm', 'ai.response.toolCalls': in5 },
    {
      prompt_token_details: { cache_read: 4, cache_creation: 1 },
      completion_token_details: { reasoning: 2 },
    },
  ],
])(
  'when a call is of version %s, then it is of a model, with its tokens, tools and answer',
  async (_v, said, details) => {
    for (const more of [{}, conventions]) {
      const run = await runOfSpan({ attributes: called({ ...said, ...more }) });
      expect(run).toMatchObject({
        run_type: 'llm',
        usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17, ...details },
        model: { provider: 'openai', ls_model_name: 'model-1' },
        inputs_preview: 'How is it there?',
        outputs: {
          messages: [
            {
              role: 'assistant',
              content: 'Let me look.',
              tool_calls: JSON.parse(said['ai.response.toolCalls']) as unknown,
            },
          ],
        },
        extra: {
          metadata: { tier: 'gold', 'otel.span.ai.model.provider': 'openai.chat' },
          invocation_params: { tools: [{ type: 'function', name: 'weather' }] },
        },
      });
    }
  },
);

it.each([
  ['ai.generateText', 'chain'],
  ['ai.generateText.doGenerate', 'llm'],
  ['ai.streamText', 'chain'],
  ['ai.streamText.doStream', 'llm'],
  ['ai.generateObject.doGenerate', 'llm'],
  ['ai.streamObject.doStream', 'llm'],
  ['ai.toolCall', 'tool'],
  ['ai.embed', 'chain'],
  ['ai.embed.doEmbed', 'embedding'],
  ['ai.embedMany.doEmbed', 'embedding'],
])('when the operation is %s, then it is a run of type %s', async (operation, run_type) => {
  expect(await runOfSpan({ attributes: { 'ai.operationId': operation } })).toMatchObject({ run_type });
});

it('when a tool is called, then the run is named after the tool', async () => {
  const attributes = {
    'ai.operationId': 'ai.toolCall',
    'ai.toolCall.name': 'weather',
    'ai.toolCall.id': 'c1',
    'ai.toolCall.args': '{"city":"Paris"}',
    'ai.toolCall.result': '{"sky":"blue"}',
  };
  expect(await runOfSpan({ attributes, name: 'ai.toolCall' })).toMatchObject({
    run_type: 'tool',
    name: 'weather',
    inputs: { city: 'Paris' },
    outputs: { sky: 'blue' },
    extra: { metadata: { OTEL_SPAN_NAME: 'ai.toolCall', 'otel.span.ai.toolCall.id': 'c1' } },
  });
});

it.each<[SpanAttributes, unknown, unknown]>([
  [{ 'ai.values': ['"a"', '"b"'], 'ai.embeddings': ['[0.1,0.2]', '[0.3]'] }, ['a', 'b'], [[0.1, 0.2], [0.3]]],
  [{ 'ai.value': '"a"', 'ai.embedding': '[0.1]' }, 'a', [0.1]],
])(
  'when texts are embedded, then they are the inputs, and their embeddings the outputs',
  async (said, input, output) => {
    const attributes = {
      ...said,
      'ai.operationId': 'ai.embedMany.doEmbed',
      'ai.model.id': 'embedder',
      'ai.usage.tokens': 7,
    };
    expect(await runOfSpan({ attributes })).toMatchObject({
      inputs: { input },
      outputs: { output },
      usage: { prompt_tokens: 7, total_tokens: 7 },
      model: { ls_model_name: 'embedder' },
    });
  },
);
