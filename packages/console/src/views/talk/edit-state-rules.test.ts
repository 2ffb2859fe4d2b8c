import { expect, test } from 'vitest';
import { changedValues } from './edit-state-rules.ts';

const one = { id: '1', type: 'human', content: 'Hi' };
const two = { id: '2', type: 'ai', content: 'Hello' };

const edits = [
  [{ a: 1, b: 2 }, { a: 1, b: 3 }, { b: 3 }],
  [{ messages: [one, two] }, { messages: [one] }, { messages: [{ type: 'remove', id: '2', content: '' }] }],
  [
    { messages: [one, two] },
    { messages: [one, { ...two, content: 'Hey' }] },
    { messages: [{ ...two, content: 'Hey' }] },
  ],
] as const;

test.for(edits)('when %j becomes %j, then only what changed is written', ([before, after, written]) => {
  expect(changedValues(before, after)).toEqual(written);
});

test('when nothing changed, or the state is no object, then it is said', () => {
  expect(() => changedValues({ a: 1 }, { a: 1 })).toThrow('Nothing was changed; edit a field first.');
  expect(() => changedValues({}, [])).toThrow('The state must be an object, such as {"messages": []}.');
});
