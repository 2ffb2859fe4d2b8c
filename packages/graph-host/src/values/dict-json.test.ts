import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { expect, test } from 'vitest';
import { jsonOf } from './dict-json.ts';

const read = (value: unknown): unknown => JSON.parse(jsonOf(value));

test.each([
  ['nothing', undefined, null],
  ['a function', () => 1, null],
  ['a large number', { at: 10n }, { at: '10' }],
  ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['no number', Number.NaN, null],
])('when the value is %s, then it is written as JSON can', (_name, value, expected) => {
  expect(read(value)).toEqual(expected);
});

test('when messages stand anywhere in a value, then they are objects of their fields', () => {
  const [question, answer] = [new HumanMessage({ content: 'a', id: '1' }), new AIMessage('b')];
  expect(read({ deep: [{ question }], answer })).toMatchObject({
    deep: [{ question: { type: 'human', content: 'a', id: '1' } }],
    answer: { type: 'ai', content: 'b', tool_calls: [] },
  });
});

test('when a value would hold itself, then that place is left out; one that stands twice is not', () => {
  const twice = { here: true };
  const ring: Record<string, unknown> = { twice, again: [twice] };
  ring['self'] = ring;
  expect(read(ring)).toEqual({ twice, again: [twice] });
  const message = new AIMessage('a');
  message.additional_kwargs = { message };
  expect(read([message])).toMatchObject([{ content: 'a', additional_kwargs: {} }]);
});

test('when a value can’t be written, then it is null', () => {
  const broken = {
    toJSON: () => {
      throw new Error('no');
    },
  };
  expect(read({ broken })).toBe(null);
  const raising = {
    get at() {
      throw new Error('no');
    },
  };
  expect(read(raising)).toBe(null);
});

test('when a list holds messages, then each is written once', () => {
  const message = {
    toJSON: () => {
      throw new Error('written twice');
    },
    toDict: () => ({ type: 'human', data: { content: 'hello' } }),
  };
  expect(jsonOf({ messages: [message] })).toBe('{"messages":[{"content":"hello","type":"human"}]}');
});
