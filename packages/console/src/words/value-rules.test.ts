import { expect, it } from 'vitest';
import { brief, pretty, readObject } from './value-rules.ts';

it.each([
  [null, ''],
  ['a text', 'a text'],
  [{ question: 'Where?' }, 'Where?'],
  [{ a: 1, b: [true, 'x'] }, '{a: 1, b: [true, "x"]}'],
  [3, '3'],
])('when %j is told in a line, then it is %s', (value, line) => {
  expect(brief(value)).toBe(line);
});

it('when a value is long, then its line stays short and little of it is read', () => {
  const value = { list: Array.from({ length: 100_000 }, (_, index) => index) };
  expect(brief(value).length).toBeLessThan(230);
});

it.each([
  ['', { kind: 'value', value: null }],
  ['{"a": 1}', { kind: 'value', value: { a: 1 } }],
  ['[1]', { kind: 'fault', fault: 'must be a JSON object, such as {"question": "…"}' }],
])('when an editor holds %j, then it is read as an object or refused', (text, read) => {
  expect(readObject(text)).toEqual(read);
});

it('when an editor holds no JSON, then the fault says so', () => {
  expect(readObject('{a')).toMatchObject({ kind: 'fault', fault: expect.stringMatching(/^is not JSON/) });
  expect(pretty(undefined)).toBe('');
});
