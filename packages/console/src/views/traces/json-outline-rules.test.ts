import { expect, test } from 'vitest';
import { outlineAt, textAt } from './json-outline-rules.ts';

const value = { list: [1, 'two', { three: null }], text: 'x'.repeat(2000) };
const whole = { from: 0, length: 100 };

test('when a level is asked for, then only its members are told', () => {
  expect(outlineAt(value, { path: [], ...whole })).toEqual({
    size: 2,
    entries: [
      { key: 'list', kind: 'list', size: 3, text: '' },
      { key: 'text', kind: 'text', size: 2000, text: 'x'.repeat(500) },
    ],
  });
});

test('when a part of a list is asked for, then its members keep their numbers', () => {
  const { entries, size } = outlineAt(value, { path: ['list'], from: 1, length: 1 });
  expect([size, entries]).toEqual([3, [{ key: 1, kind: 'text', size: 3, text: 'two' }]]);
});

test.each([
  [['text'], 1999, 'x'],
  [['list', 2, 'three'], 0, 'null'],
  [['gone', 'far'], 0, ''],
] as const)('when the text at %j is asked for, then it is cut', (path, from, text) => {
  expect(textAt(value, { path, from, length: 10 })).toBe(text);
});
