import { expect, it } from 'vitest';
import { runOfSpan as runOf, type SpanSaid } from '../testing/spans.ts';

it.each([
  [{ 'langsmith.span.kind': 'retriever', 'gen_ai.operation.name': 'chat' }, 'retriever'],
  [{ 'gen_ai.operation.name': 'chat', 'openinference.span.kind': 'TOOL' }, 'llm'],
  [{ 'gen_ai.operation.name': 'embeddings' }, 'embedding'],
  [{ 'gen_ai.tool.name': 'search', 'openinference.span.kind': 'CHAIN' }, 'tool'],
  [{ 'llm.request.type': 'completion' }, 'llm'],
  [{ 'openinference.span.kind': 'RETRIEVER' }, 'retriever'],
  [{ 'traceloop.span.kind': 'workflow' }, 'chain'],
  [{ 'llm.prompt_template.variables': '{}' }, 'prompt'],
  [{ 'gen_ai.operation.name': 'constructor', 'traceloop.span.kind': '__proto__' }, 'chain'],
  [{}, 'chain'],
])('when the attributes are %j, then the run is of type %s', async (attributes, run_type) => {
  expect(await runOf({ attributes })).toMatchObject({ run_type });
});

it.each(['constructor', 'toString', '__proto__'])(
  'when an event has the name %s, then it is no message',
  async (name) => {
    const run = await runOf({ events: [[name, { content: 'hello' }]] });
    expect(run).toMatchObject({ events: [{ name, kwargs: { content: 'hello' } }] });
    expect(run['inputs']).toBeUndefined();
  },
);

const MESSAGES = [{ role: 'user', content: 'hello' }];

it.each<[string, SpanSaid, object]>([
  ['one value', { attributes: { 'input.value': 'hello' } }, { inputs: { input: 'hello' } }],
  ['an object', { attributes: { 'traceloop.entity.input': '{"a":1}' } }, { inputs: { a: 1 } }],
  ['a list', { attributes: { 'gen_ai.prompt': '[1,2]' } }, { inputs: { input: [1, 2] } }],
  [
    'text that only begins like JSON',
    { attributes: { 'input.value': '{oops' } },
    { inputs: { input: '{oops' } },
  ],
  [
    'messages of today’s conventions',
    { attributes: { 'gen_ai.input.messages': JSON.stringify(MESSAGES), 'input.value': 'not this' } },
    { inputs: { messages: MESSAGES } },
  ],
  [
    'messages of OpenInference, with what stands around each',
    {
      attributes: {
        'llm.input_messages.1.message.tool_calls.0.tool_call.function.name': 'search',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.contents.0.message_content.text': 'hello',
        'llm.input_messages.1.message.role': 'assistant',
      },
    },
    {
      inputs: {
        messages: [
          { role: 'user', content: [{ text: 'hello' }] },
          { role: 'assistant', tool_calls: [{ function: { name: 'search' } }] },
        ],
      },
    },
  ],
  [
    'messages of events, and a choice',
    {
      events: [
        ['gen_ai.user.message', { content: 'hello' }],
        ['gen_ai.choice', { finish_reason: 'stop', 'message.content': 'good morning', index: 0 }],
      ],
    },
    {
      inputs: { messages: MESSAGES },
      outputs: {
        messages: [{ role: 'assistant', content: 'good morning', finish_reason: 'stop', index: 0 }],
      },
    },
  ],
  [
    'an event that holds a whole message',
    { events: [['gen_ai.choice', { 'gen_ai.event.content': '{"message":{"content":"hi"},"index":0}' }]] },
    { outputs: { messages: [{ role: 'assistant', content: 'hi', index: 0 }] } },
  ],
  [
    'an event that holds the whole prompt',
    { events: [['gen_ai.content.prompt', { 'gen_ai.prompt': '{"q":1}' }]] },
    { inputs: { q: 1 } },
  ],
  [
    'Logfire’s list of events',
    {
      attributes: {
        events: JSON.stringify([
          { 'event.name': 'gen_ai.user.message', role: 'user', content: 'hello' },
          { 'event.name': 'gen_ai.choice', message: { content: 'hi' } },
        ]),
      },
    },
    { inputs: { messages: MESSAGES }, outputs: { messages: [{ role: 'assistant', content: 'hi' }] } },
  ],
  [
    'documents that were found',
    {
      attributes: {
        'retrieval.documents.0.document.content': 'text',
        'retrieval.documents.0.document.metadata': '{"page":3}',
        'output.value': 'not this',
      },
    },
    { outputs: { documents: [{ page_content: 'text', metadata: { page: 3 }, type: 'Document' }] } },
  ],
])('when a span holds %s, then the run shows that', async (_what, said, expected) => {
  expect(await runOf(said)).toMatchObject(expected);
});

it('when a span calls a model, then the model, its parameters and its usage are read', async () => {
  const run = await runOf({
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'acme',
      'gen_ai.request.model': 'big-1',
      'gen_ai.request.top_p': 0.9,
      'llm.invocation_parameters': '{"seed":4}',
      'gen_ai.usage.prompt_tokens': '10',
      'gen_ai.usage.output_tokens': 4,
      'gen_ai.usage.cache_read.input_tokens': 6,
      'gen_ai.usage.details.reasoning_tokens': 2,
      'llm.cost.total': 0.25,
    },
  });
  expect(run).toMatchObject({
    usage: {
      prompt_tokens: 10,
      completion_tokens: 4,
      total_tokens: 14,
      prompt_token_details: { cache_read: 6 },
      completion_token_details: { reasoning: 2 },
      total_cost: '0.25',
    },
    model: { provider: 'acme', ls_model_name: 'big-1', model: 'big-1' },
    extra: { invocation_params: { model: 'big-1', top_p: 0.9, seed: 4 } },
  });
});

it.each([
  ['gen_ai.usage.cache_creation_input_tokens'],
  ['gen_ai.usage.cache_creation.input_tokens'],
  ['gen_ai.usage.cache_write.input_tokens'],
])(
  'when caches stand beside the input, what was written as %s, then they are added to it',
  async (written) => {
    const attributes = {
      'llm.request.type': 'chat',
      'gen_ai.usage.prompt_tokens': 19,
      'gen_ai.usage.completion_tokens': 7,
      'llm.usage.total_tokens': 26,
      'gen_ai.usage.cache_read_input_tokens': 9000,
      [written]: 500,
    };
    expect(await runOf({ attributes })).toMatchObject({
      usage: {
        prompt_tokens: 9519,
        completion_tokens: 7,
        total_tokens: 9526,
        prompt_token_details: { cache_read: 9000, cache_creation: 500 },
      },
    });
  },
);

it('when a span says something unknown, then it is kept as metadata, and nothing twice', async () => {
  const { extra } = await runOf({
    attributes: {
      'langsmith.metadata.tier': 'gold',
      'traceloop.association.properties.user': 'u1',
      metadata: '{"region":"eu"}',
      'http.method': 'POST',
      'input.value': 'hello',
      'gen_ai.system': 'acme',
    },
  });
  expect(extra).toEqual({
    metadata: {
      'otel.resource.service.name': 'test',
      'otel.span.http.method': 'POST',
      ls_provider: 'acme',
      region: 'eu',
      user: 'u1',
      tier: 'gold',
      OTEL_TRACE_ID: 'a'.repeat(32),
      OTEL_SPAN_ID: 'b'.repeat(16),
    },
  });
});

it.each([
  [{ 'langsmith.metadata.thread_id': 'a', 'service.metadata.thread_id': 'b' }, 'a'],
  [{ 'service.metadata.thread_id': 'b', 'session.id': 'c' }, 'b'],
  [{ 'gen_ai.conversation.id': 'c' }, 'c'],
  [{ 'langsmith.metadata.session_id': 's', 'gen_ai.conversation.id': 'c' }, 's'],
])('when the attributes are %j, then the thread is %s', async (attributes, thread_id) => {
  expect(await runOf({ attributes })).toMatchObject({ thread_id });
});

const EXCEPTION = ['exception', { 'exception.message': 'boom', 'exception.stacktrace': 'at x' }] as const;
it.each<[string, SpanSaid, string | undefined]>([
  ['an exception', { events: [EXCEPTION] }, 'boom\n\nat x'],
  ['an exception that was handled', { events: [EXCEPTION], code: 1 }, undefined],
  ['a status', { code: 2 }, 'The span ended with an error.'],
  ['nothing', {}, undefined],
])('when a span has %s, then the error of the run follows from that', async (_what, said, error) => {
  expect((await runOf(said))['error']).toEqual(error);
});
