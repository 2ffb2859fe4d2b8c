import type { ProviderKind } from '@roadstead/contracts/observability';
import { createGuardedStream } from '@roadstead/outbound';
import { useFixturePerTest } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { MODEL_KEY, startFakeModels } from '../testing/fake-models.ts';
import { createModelClient, modelLimits } from './model-client.ts';
import { ModelAnswerParts } from './model-answer-parts.ts';
import type { ChatMessage, ModelCall, ModelEvent } from './model-call.ts';

const fake = useFixturePerTest(startFakeModels);
const kinds: readonly ProviderKind[] = ['openai', 'anthropic', 'google'];
const ways = kinds.flatMap((kind) => [true, false].map((stream) => ({ kind, stream })));

const client = (limits = modelLimits) =>
  createModelClient(createGuardedStream({ allowed_hosts: ['127.0.0.1'] }), limits);
const providerOf = (kind: ProviderKind, api_key: string | null = MODEL_KEY) => ({
  kind,
  base_url: fake().baseOf(kind),
  api_key,
});
const hello: ChatMessage[] = [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }];
const callOf = (model: string, more: Partial<ModelCall> = {}): ModelCall => ({
  model,
  messages: hello,
  parameters: {},
  stream: true,
  ...more,
});

async function answerOf(events: AsyncIterable<ModelEvent>) {
  const parts = new ModelAnswerParts();
  for await (const event of events) parts.add(event);
  return parts.whole();
}

const ask = (kind: ProviderKind, call: ModelCall, limits = modelLimits) =>
  answerOf(client(limits).call(providerOf(kind), call, new AbortController().signal));

const usage = {
  input_tokens: 12,
  output_tokens: 5,
  total_tokens: 17,
  input_token_details: expect.objectContaining({ cache_read: 4 }),
};

test.each(ways)(
  'when $kind answers (streamed: $stream), then words, thoughts and tokens are read',
  async ({ kind, stream }) => {
    const answer = await ask(kind, callOf('good', { stream }));
    expect(answer).toMatchObject({ text: 'Hé, bonjour', reasoning: 'Hm', tool_calls: [], usage });
    expect(answer.failure).toBeUndefined();
    expect(answer.finish_reason).toMatch(/^(stop|end_turn|STOP)$/);
  },
);

test.each(ways)(
  'when a model of $kind calls tools (streamed: $stream), then the calls are whole',
  async ({ kind, stream }) => {
    const { tool_calls, usage: counted } = await ask(kind, callOf('tools', { stream }));
    expect(tool_calls).toEqual([
      { id: 'call_a', name: 'weather', arguments: '{"city":"Paris"}' },
      { id: 'call_b', name: 'time', arguments: '{}' },
    ]);
    expect(counted).toMatchObject(usage);
  },
);

test.each(kinds)(
  'when %s answers as a whole although it was to stream, then the answer is read',
  async (kind) => {
    expect(await ask(kind, callOf('cannot-stream'))).toMatchObject({ text: 'Hé, bonjour', usage });
  },
);

describe('failures', () => {
  const refusals = kinds.flatMap((kind) => [
    { kind, model: 'status-401', failure: { status: 401, message: 'No such key.', may_pass: false } },
    { kind, model: 'status-429', failure: { status: 429, message: 'Too many requests.', may_pass: true } },
    { kind, model: 'status-500', failure: { status: 500, message: 'It broke.', may_pass: true } },
    {
      kind,
      model: 'proxy',
      failure: { status: 502, message: 'The provider answers with status 502.', may_pass: true },
    },
    { kind, model: 'garbage', failure: { message: expect.stringContaining('what its API does not have') } },
    { kind, model: 'broken', failure: { message: expect.stringContaining('broke off'), may_pass: true } },
    { kind, model: 'error-within', failure: { message: 'Overloaded, ….', may_pass: true } },
  ]);
  test.each(refusals)('when $kind meets $model, then it fails in words', async ({ kind, model, failure }) => {
    expect((await ask(kind, callOf(model))).failure).toMatchObject(failure);
  });

  test.each(kinds)('when the key is wrong, then %s is quoted without it', async (kind) => {
    const asked = client().call(providerOf(kind, 'sk-wrong'), callOf('good'), new AbortController().signal);
    const { failure } = await answerOf(asked);
    expect(failure).toMatchObject({ status: 401, message: 'Incorrect API key: ….' });
  });

  test('when a provider says nothing, or takes too long, then the call ends in time', async () => {
    const silent = await ask('openai', callOf('hang'), { ...modelLimits, silence_ms: 100 });
    expect(silent.failure?.message).toContain('said nothing for 1 s');
    const slow = await ask('openai', callOf('flows'), { ...modelLimits, call_ms: 100 });
    expect(slow).toMatchObject({
      reasoning: 'Hm',
      failure: { message: 'The provider did not end within 1 s.' },
    });
    await expect.poll(() => fake().open()).toBe(0);
  });

  test('when the caller goes, then the call is aborted, and the reason is thrown', async () => {
    const abort = new AbortController();
    const events = client().call(providerOf('anthropic'), callOf('flows'), abort.signal);
    expect((await events.next()).value).toMatchObject({ type: 'usage' });
    abort.abort(new Error('gone'));
    await expect(Array.fromAsync(events)).rejects.toThrow('gone');
    await expect.poll(() => fake().open()).toBe(0);
  });

  test('when an address is private, then nothing is called', async () => {
    const guarded = createModelClient(createGuardedStream());
    const { failure } = await answerOf(
      guarded.call(providerOf('openai'), callOf('good'), new AbortController().signal),
    );
    expect(failure).toMatchObject({ status: null, may_pass: false });
    expect(fake().requests).toEqual([]);
  });
});

test.each(kinds)('when models of %s are listed, then those that answer are', async (kind) => {
  expect(await client().listModels(providerOf(kind), new AbortController().signal)).toEqual(['good']);
  expect(await client().listModels(providerOf(kind, 'sk-wrong'), new AbortController().signal)).toMatchObject(
    {
      status: 401,
    },
  );
});

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const whole: Partial<ModelCall> = {
  messages: [
    { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'Look.' },
        { type: 'image', url: 'data:image/png;base64,AAAA' },
        { type: 'image', url: 'https://a.test/b.png' },
      ],
    },
    {
      role: 'assistant',
      parts: [{ type: 'text', text: '' }],
      tool_calls: [{ id: 'c1', name: 'weather', arguments: '{"city":"Paris"}' }],
    },
    { role: 'tool', parts: [{ type: 'text', text: 'sunny' }], tool_call_id: 'c1' },
  ],
  parameters: {
    temperature: 0.5,
    max_tokens: 100,
    stop: ['END'],
    tools: [{ type: 'function', function: { name: 'weather', description: 'tells', parameters: schema } }],
    tool_choice: { function: { name: 'weather' } },
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
    extra_body: { seed: 7 },
  },
};

const bodies: Readonly<Record<ProviderKind, object>> = {
  openai: {
    seed: 7,
    model: 'good',
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
    max_tokens: 100,
    stop: ['END'],
    tools: [{ type: 'function', function: { name: 'weather', description: 'tells', parameters: schema } }],
    tool_choice: { type: 'function', function: { name: 'weather' } },
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'https://a.test/b.png' } },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
        ],
      },
      { role: 'tool', content: 'sunny', tool_call_id: 'c1' },
    ],
  },
  anthropic: {
    seed: 7,
    model: 'good',
    stream: true,
    temperature: 0.5,
    max_tokens: 100,
    stop_sequences: ['END'],
    system: 'Be brief.',
    tools: [{ name: 'weather', description: 'tells', input_schema: schema }],
    tool_choice: { type: 'tool', name: 'weather' },
    output_config: { format: { type: 'json_schema', schema } },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          { type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Paris' } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'sunny' }] }],
      },
    ],
  },
  google: {
    seed: 7,
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [
      {
        functionDeclarations: [{ name: 'weather', description: 'tells', parametersJsonSchema: schema }],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } },
    generationConfig: {
      temperature: 0.5,
      maxOutputTokens: 100,
      stopSequences: ['END'],
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'Look.' },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
          { fileData: { fileUri: 'https://a.test/b.png' } },
        ],
      },
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Paris' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { result: 'sunny' } } }] },
    ],
  },
};

test.each(kinds)('when everything is asked of %s, then its body is as its API documents it', async (kind) => {
  await ask(kind, callOf('good', whole));
  expect(fake().requests.map(({ body }) => body)).toEqual([bodies[kind]]);
  const paths = {
    openai: '/v1/chat/completions',
    anthropic: '/v1/messages',
    google: '/v1beta/models/good:streamGenerateContent?alt=sse',
  };
  expect(fake().requests[0]?.path).toBe(paths[kind]);
});
