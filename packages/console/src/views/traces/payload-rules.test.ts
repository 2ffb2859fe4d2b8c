import { expect, test } from 'vitest';
import { valueIn } from './payload-rules.ts';

test.each([
  ['{"inputs":{"a":"}"}}', { a: '}' }],
  ['{ "inputs" : [1, 2] }\n', [1, 2]],
  ['{"inputs":null}', null],
  ['{"inputs":"ä"}', 'ä'],
])('when the answer is %s, then its value is found', (answer, expected) => {
  const found = valueIn(new TextEncoder().encode(answer), 'inputs');
  expect(JSON.parse(new TextDecoder().decode(found))).toEqual(expected);
});

test.each(['{}', '{ }', '', '{"outputs":1}'])('when the answer is %j, then it has no inputs', (answer) => {
  expect(valueIn(new TextEncoder().encode(answer), 'inputs')).toBeUndefined();
});
