import { expect, it } from 'vitest';
import { runOfSpan, type SpanAttributes, type SpanSaid } from '../testing/spans.ts';
import * as tables from './attribute-tables.ts';

/** One fact may come in several forms: one is shown, and what the others add stays. */

const user = { role: 'user', content: 'hello' };
const answer = { role: 'assistant', content: 'hi' };
const metadataOf = ({ extra }: Readonly<Record<string, unknown>>) =>
  (extra as { readonly metadata: Readonly<Record<string, unknown>> }).metadata;

it.each<[string, SpanAttributes, object]>([
  ['a JSON text', { message: '{"role":"assistant","content":"hi"}' }, answer],
  ['a plain text', { message: 'hi' }, answer],
  ['a list', { message: ['hi', 'there'] }, { role: 'assistant', content: ['hi', 'there'] }],
  [
    'a list of blocks as JSON',
    { message: '[{"text":"hi"}]', finish_reason: 'stop' },
    { role: 'assistant', content: [{ text: 'hi' }], finish_reason: 'stop' },
  ],
  ['a list of messages', { message: '[{"role":"model","content":"hi"}]' }, { ...answer, role: 'model' }],
  ['plain text as its content', { 'gen_ai.event.content': 'hi' }, answer],
  ['its content as JSON', { 'gen_ai.event.content': '{"message":"hi","index":0}' }, { ...answer, index: 0 }],
  ['a completion', { 'gen_ai.completion': 'hi' }, answer],
  [
    'calls as JSON',
    { 'message.content': 'hi', 'message.tool_calls': '[{"id":"c"}]' },
    { ...answer, tool_calls: [{ id: 'c' }] },
  ],
])('when a choice holds %s, then it is an answer', async (_what, said, message) => {
  const run = await runOfSpan({ events: [['gen_ai.choice', said]] });
  expect(run).toMatchObject({ outputs: { messages: [message] } });
  expect(run['events']).toBeUndefined();
});

it.each<[string, readonly (readonly [string, SpanAttributes])[], object]>([
  [
    'a prompt of a user',
    [['gen_ai.user.message', { 'gen_ai.prompt': 'hello' }]],
    { inputs: { messages: [user] } },
  ],
  [
    'what a tool is given and what it answers',
    [
      ['gen_ai.tool.message', { role: 'tool', content: '{"city":"Paris"}', id: 'c' }],
      ['gen_ai.choice', { message: 'sunny', id: 'c' }],
    ],
    {
      inputs: { messages: [{ role: 'tool', content: '{"city":"Paris"}', id: 'c' }] },
      outputs: { messages: [{ role: 'assistant', content: 'sunny', id: 'c' }] },
    },
  ],
  [
    'the conversation before a choice',
    [
      ['gen_ai.user.message', { content: 'hello' }],
      ['gen_ai.assistant.message', { content: 'hi' }],
      ['gen_ai.tool.message', { content: 'seen' }],
      ['gen_ai.choice', { message: 'so' }],
    ],
    {
      inputs: { messages: [user, answer, { role: 'tool', content: 'seen' }] },
      outputs: { messages: [{ role: 'assistant', content: 'so' }] },
    },
  ],
  [
    'an answer without a choice',
    [
      ['gen_ai.user.message', { content: 'hello' }],
      ['gen_ai.assistant.message', { content: 'hi' }],
    ],
    { inputs: { messages: [user] }, outputs: { messages: [answer] } },
  ],
])('when events say %s, then the messages are read from them', async (_what, events, expected) => {
  expect(await runOfSpan({ events })).toMatchObject(expected);
});

const call = { toolCallId: 'c', toolName: 'look', args: '{"at":"x"}' };
const parts = [{ role: 'assistant', parts: [{ type: 'text', content: 'hi' }] }];
const listed = JSON.stringify(parts);

it.each<[string, SpanSaid, object, SpanAttributes]>([
  [
    'a text and calls',
    { attributes: { 'ai.response.text': 'Let me look.', 'ai.response.toolCalls': JSON.stringify([call]) } },
    { messages: [{ role: 'assistant', content: 'Let me look.', tool_calls: [call] }] },
    {},
  ],
  [
    'calls alone',
    { attributes: { 'ai.response.toolCalls': JSON.stringify([call]) } },
    { messages: [{ role: 'assistant', content: '', tool_calls: [call] }] },
    {},
  ],
  [
    'an object beside a text',
    { attributes: { 'ai.response.text': 'so', 'ai.response.object': '{"a":1}' } },
    { output: 'so' },
    { 'otel.span.ai.response.object': '{"a":1}' },
  ],
  [
    'a value beside messages',
    { attributes: { 'output.value': 'other', 'gen_ai.output.messages': listed } },
    { messages: parts },
    { 'otel.span.output.value': 'other' },
  ],
  [
    'a value that is the messages’ text',
    { attributes: { 'output.value': 'hi', 'gen_ai.output.messages': listed } },
    { messages: parts },
    {},
  ],
  [
    'a value that is the same payload',
    { attributes: { 'output.value': JSON.stringify({ messages: parts }), 'gen_ai.output.messages': listed } },
    { messages: parts },
    {},
  ],
  [
    'a value beside documents',
    { attributes: { 'output.value': 'other', 'retrieval.documents.0.document.content': 'text' } },
    { documents: [{ page_content: 'text', metadata: {}, type: 'Document' }] },
    { 'otel.span.output.value': 'other' },
  ],
  [
    'two results of a tool',
    { attributes: { 'gen_ai.tool.call.result': 'one', 'traceloop.entity.output': 'two' } },
    { output: 'two' },
    { 'otel.span.gen_ai.tool.call.result': 'one' },
  ],
  [
    'one result of a tool, twice',
    { attributes: { 'gen_ai.tool.call.result': '{"a": 1}', 'traceloop.entity.output': '{"a":1}' } },
    { a: 1 },
    {},
  ],
])(
  'when outputs come as %s, then one form is shown, and the rest is kept',
  async (_what, said, outputs, kept) => {
    const run = await runOfSpan(said);
    expect(run['outputs']).toEqual(outputs);
    expect(metadataOf(run)).toEqual({
      'otel.resource.service.name': 'test',
      OTEL_TRACE_ID: 'a'.repeat(32),
      OTEL_SPAN_ID: 'b'.repeat(16),
      ...kept,
    });
  },
);

const told = { type: 'text', content: 'Be brief.' };
const asked = [{ role: 'user', parts: [{ type: 'text', content: 'hello' }] }];
const details = {
  'gen_ai.input.messages': JSON.stringify(asked),
  'gen_ai.output.messages': listed,
  'gen_ai.system_instructions': JSON.stringify([told]),
};
const structured: SpanAttributes = {
  'gen_ai.input.messages': asked,
  'gen_ai.output.messages': parts,
  'gen_ai.system_instructions': [told],
};
const shown = {
  inputs: { messages: [{ role: 'system', parts: [told] }, ...asked] },
  outputs: { messages: parts },
};

it.each<[string, SpanSaid]>([
  ['attributes', { attributes: details }],
  ['structured attributes', { attributes: structured }],
  ['an event', { events: [[tables.details_event, details]] }],
  ['a structured event', { events: [[tables.details_event, structured]] }],
  [
    'attributes and an event that says the same',
    { attributes: details, events: [[tables.details_event, structured]] },
  ],
])('when messages of OpenTelemetry’s conventions come in %s, then they are read', async (_what, said) => {
  const run = await runOfSpan(said);
  expect(run).toMatchObject(shown);
  expect(run['events']).toBeUndefined();
  expect(JSON.stringify(metadataOf(run))).not.toContain('gen_ai');
});

it.each<[string, SpanAttributes, readonly object[]]>([
  ['a text', { 'gen_ai.system_instructions': 'Be brief.' }, [{ role: 'system', content: 'Be brief.' }]],
  ['one part', { 'gen_ai.system_instructions': JSON.stringify(told) }, [{ role: 'system', parts: [told] }]],
  [
    'messages',
    { 'gen_ai.system_instructions': '[{"role":"system","content":"Be brief."}]' },
    [{ role: 'system', content: 'Be brief.' }],
  ],
])(
  'when a model is told %s before the messages, then that stands before them',
  async (_what, said, first) => {
    const attributes = { ...said, 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': 'hello' };
    expect(await runOfSpan({ attributes: said })).toMatchObject({ inputs: { messages: first } });
    expect(await runOfSpan({ attributes })).toMatchObject({ inputs: { messages: [...first, user] } });
    expect((await runOfSpan({ attributes }))['inputs_preview']).toBe('hello');
  },
);

it('when a model is told something twice, then it is shown once', async () => {
  const system = { role: 'system', parts: [told] };
  const attributes = { ...details, 'gen_ai.input.messages': JSON.stringify([system, ...asked]) };
  expect(await runOfSpan({ attributes })).toMatchObject({ inputs: { messages: [system, ...asked] } });
});

it('when an agent of Pydantic AI has run, then what it did is its inputs and outputs', async () => {
  const calls = { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'look' }] };
  const results = { role: 'user', parts: [{ type: 'tool_call_response', id: 'c', result: 'seen' }] };
  const all = [...asked, calls, results, ...parts];
  const said = {
    'pydantic_ai.all_messages': JSON.stringify(all),
    'gen_ai.system_instructions': JSON.stringify([told]),
  };
  const run = await runOfSpan({ attributes: { ...said, final_result: 'hi' } });
  expect(run['inputs']).toEqual({ messages: [{ role: 'system', parts: [told] }, ...asked] });
  expect(run['outputs']).toEqual({ messages: [calls, results, ...parts] });
  expect(run).toMatchObject({ inputs_preview: 'hello', outputs_preview: 'hi' });
  expect(await runOfSpan({ attributes: { final_result: 'hi' } })).toMatchObject({
    outputs: { output: 'hi' },
  });
  const events = [
    { 'event.name': 'gen_ai.user.message', role: 'user', content: 'hello' },
    { 'event.name': 'gen_ai.assistant.message', role: 'assistant', content: 'hi' },
  ];
  const older = { all_messages_events: JSON.stringify(events), final_result: 'hi' };
  expect(await runOfSpan({ attributes: older })).toMatchObject({
    inputs: { messages: [user] },
    outputs: { output: 'hi' },
  });
});

const long = 'x'.repeat(3000);
it.each<[string, SpanAttributes]>([
  ['the name of a project', { 'langsmith.trace.session_name': long }],
  ['a name', { 'langsmith.trace.name': long }],
  ['a tag', { 'tag.tags': [long] }],
  ['tags', { 'tag.tags': Array.from({ length: 501 }, (_, at) => `tag ${at}`) }],
  ['what is no file', { 'langsmith.attachments': '[{"name":"note","content":"no base64!"}]' }],
])('when only a part of %s is kept, then all of it stays in the metadata', async (_what, attributes) => {
  const kept = Object.entries(attributes).map(([name, value]) => [`otel.span.${name}`, value] as const);
  expect(metadataOf(await runOfSpan({ attributes }))).toMatchObject(Object.fromEntries(kept));
});

it('when the name of a span is long, then it stays in the metadata', async () => {
  expect(metadataOf(await runOfSpan({ name: long }))).toMatchObject({ OTEL_SPAN_NAME: long });
});

it('when a conversation is too long to be parted, then it is shown as it was written', async () => {
  const asking = { role: 'user', content: 'x'.repeat(1_048_576) };
  const run = await runOfSpan({ attributes: { [tables.conversation]: JSON.stringify([asking, answer]) } });
  expect(run['outputs']).toEqual({ messages: [asking, answer] });
  expect(metadataOf(run)).not.toHaveProperty(`otel.span.${tables.conversation}`);
});
