import { expect, test } from 'vitest';
import { noParameters, parametersOf, valuesOf } from './parameter-rules.ts';

test.each([
  [{}, {}],
  [
    { temperature: '0', max_tokens: '50' },
    { temperature: 0, max_tokens: 50 },
  ],
  [{ stop: 'a\n\nb' }, { stop: ['a', 'b'] }],
  [{ tools: '{"name":"f"}' }, { tools: [{ type: 'function', function: { name: 'f' } }] }],
  [
    { tools: '[{"type":"function","function":{"name":"f"}}]' },
    { tools: [{ type: 'function', function: { name: 'f' } }] },
  ],
  [{ tool_choice: 'f' }, { tool_choice: { function: { name: 'f' } } }],
  [{ tool_choice: 'required' }, { tool_choice: 'required' }],
  [
    { schema: '{"title":"My answer"}' },
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'My_answer', schema: { title: 'My answer' } },
      },
    },
  ],
  [{ extra_body: '{"a":1}' }, { extra_body: { a: 1 } }],
])('when a form holds %j, then it asks for %j', (form, asked) => {
  expect(parametersOf({ ...noParameters, ...form })).toEqual(asked);
});

test.each([
  [{ tools: '{' }, /^Tools is not JSON/],
  [{ schema: '[]' }, /^The schema must be a JSON object/],
])('when a form has %j, then a sentence says what is wrong', (form, sentence) => {
  expect(() => parametersOf({ ...noParameters, ...form })).toThrow(sentence);
});

test('when variables take messages, then their text is JSON', () => {
  const variable = { name: 'a', is_messages: false, is_optional: false };
  const messages = { name: 'm', is_messages: true, is_optional: true };
  expect(valuesOf([variable, messages], { a: '1' })).toEqual({ a: '1' });
  expect(valuesOf([messages], { m: '[{"role":"user"}]' })).toEqual({ m: [{ role: 'user' }] });
  expect(() => valuesOf([messages], { m: 'x' })).toThrow('The variable m is not JSON');
});
