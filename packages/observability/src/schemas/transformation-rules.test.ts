import { expect, test } from 'vitest';
import { messagesIn, openAiMessages, openAiTool } from './message-rules.ts';
import { transformed } from './transformation-rules.ts';

const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"x":1}' } };

test.each([
  ['a LangChain message', { type: 'human', data: { content: 'hi' } }, { role: 'user', content: 'hi' }],
  ['a flat one', { type: 'system', content: 'be kind' }, { role: 'system', content: 'be kind' }],
  [
    'a serialized one with a call of a tool',
    {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'AIMessageChunk'],
      kwargs: { content: '', tool_calls: [{ name: 'f', args: { x: 1 }, id: 'c' }] },
    },
    { role: 'assistant', content: '', tool_calls: [call] },
  ],
  [
    'the answer of a tool',
    { type: 'tool', data: { content: '7', tool_call_id: 'c', name: 'f' } },
    { role: 'tool', content: '7', name: 'f', tool_call_id: 'c' },
  ],
  [
    'one of OpenAI',
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'assistant', content: null, tool_calls: [call] },
  ],
  ['what is no message', { text: 'hi' }, { text: 'hi' }],
])('when a message is %s, then it gets OpenAI’s form if it has one', (_what, given, wanted) => {
  expect(openAiMessages(given)).toEqual([wanted]);
});

test('when a message is in parts, then it and each answer of a tool become messages of their own', () => {
  const calling = { type: 'tool_call', id: 'c', name: 'f', arguments: { x: 1 } };
  const answer = { type: 'tool_call_response', id: 'c', response: '7' };
  const said = { type: 'text', content: 'so' };
  expect(openAiMessages({ role: 'model', parts: [said, calling, answer] })).toEqual([
    { role: 'assistant', content: 'so', tool_calls: [call] },
    { role: 'tool', content: '7', tool_call_id: 'c' },
  ]);
  const messages = [{ role: 'user', parts: [said] }];
  expect(messagesIn({ messages })).toEqual([{ role: 'user', content: 'so' }]);
  expect(
    transformed(
      { inputs: { messages } },
      { dataset: dataset(['inputs', 'messages'], 'convert_to_openai_message') },
    ),
  ).toEqual({ inputs: { messages: [{ role: 'user', content: 'so' }] } });
});

test.each([
  [
    { name: 'f', description: 'd', input_schema: { type: 'object' } },
    { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } },
  ],
  [
    { type: 'function', function: { name: 'f' } },
    { type: 'function', function: { name: 'f' } },
  ],
  [
    { title: 'F', properties: { x: {} } },
    { type: 'function', function: { name: 'F', parameters: { properties: { x: {} } } } },
  ],
  ['text', 'text'],
])('when a tool is %j, then it gets OpenAI’s form if it has one', (given, wanted) => {
  expect(openAiTool(given)).toEqual(wanted);
});

test('when messages stand in any member, even one level deeper, then they are found', () => {
  const message = { type: 'human', content: 'a' };
  for (const payload of [{ messages: [[message]] }, { input: message }, { x: 1, chat: [message] }])
    expect(messagesIn(payload)).toEqual([{ role: 'user', content: 'a' }]);
  expect(messagesIn({ question: 'a' })).toEqual([]);
});

const dataset = (
  path: string[],
  transformation_type: string,
  inputs_schema_definition: object | null = null,
) => ({
  transformations: [{ path, transformation_type }],
  inputs_schema_definition: inputs_schema_definition as Record<string, unknown> | null,
  outputs_schema_definition: null,
});

test('when a dataset changes a path of its examples, then a path to nowhere changes nothing', () => {
  const messages = [
    { type: 'system', content: 's' },
    { type: 'human', content: 'u' },
  ];
  const values = { inputs: { messages, extra: 1 } };
  const at = (path: string[], type: string, schema?: object) =>
    transformed(values, { dataset: dataset(path, type, schema) });
  expect(at(['inputs', 'messages'], 'remove_system_messages')).toEqual({
    inputs: { messages: [messages[1]], extra: 1 },
  });
  expect(at(['inputs', 'messages'], 'convert_to_openai_message')).toMatchObject({
    inputs: { messages: [{ role: 'system' }, { role: 'user' }] },
  });
  const schema = { $ref: '#/$defs/I', $defs: { I: { properties: { messages: {} } } } };
  expect(at(['inputs'], 'remove_extra_fields', schema)).toEqual({ inputs: { messages } });
  expect(at(['inputs', 'none', 'messages'], 'remove_system_messages')).toEqual(values);
  expect(at(['outputs', 'messages'], 'remove_system_messages')).toEqual(values);
});

test('when a run has tools, then they are taken over', () => {
  const given = dataset(['inputs', 'tools'], 'extract_tools_from_run');
  expect(transformed({ inputs: {} }, { dataset: given, run_tools: ['t'] })).toEqual({
    inputs: { tools: ['t'] },
  });
  expect(transformed({ inputs: {} }, { dataset: given })).toEqual({ inputs: {} });
});
