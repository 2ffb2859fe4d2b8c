import { expect, test } from 'vitest';
import type { Answer } from '../calls/call.ts';
import { differencesOf } from './differences.ts';

const value = (one: unknown): Answer => ({ kind: 'value', value: one });
const stream = (...events: readonly [string, unknown][]): Answer => ({
  kind: 'stream',
  events: events.map(([event, data]) => ({ event, data })),
});

test('when answers are the same, then they have no difference, in any order of their fields', () => {
  expect(differencesOf(value({ a: 1, b: [2, { c: null }] }), value({ b: [2, { c: null }], a: 1 }))).toEqual(
    [],
  );
});

test('when answers differ, then each field is named that does, on either side', () => {
  expect(differencesOf(value({ a: 1, b: [1, 2], c: null }), value({ a: '1', b: [1], d: 0 }))).toEqual([
    { path: 'value.a', theirs: 1, ours: '1' },
    { path: 'value.b.length', theirs: 2, ours: 1 },
    { path: 'value.c', theirs: null, ours: undefined },
    { path: 'value.d', theirs: undefined, ours: 0 },
  ]);
});

test('when one refuses what the other answers, then that is the difference', () => {
  const refused: Answer = { kind: 'refused', status: 404, body: '' };
  expect(differencesOf(refused, stream(['values', 1]))).toEqual([
    { path: 'kind', theirs: refused, ours: ['values'] },
  ]);
});

test('when a stream lacks an event, then the others are compared by their names', () => {
  const [there, here] = [stream(['metadata', 1], ['values', { a: 1 }]), stream(['values', { a: 2 }])];
  expect(differencesOf(there, here)).toEqual([
    { path: 'events', theirs: ['metadata', 'values'], ours: ['values'] },
    { path: 'event values.a', theirs: 1, ours: 2 },
  ]);
});
