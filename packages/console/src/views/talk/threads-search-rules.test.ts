import { expect, test } from 'vitest';
import { filterOf } from './threads-search-rules.ts';

const typed = [
  ['', undefined],
  ['customer=c-17', { customer: 'c-17' }],
  ['tier=2 vip=true name="A B"', { tier: 2, vip: true, name: 'A B' }],
  ['id="7"', { id: '7' }],
  ['{"a": {"b": 1}}', { a: { b: 1 } }],
] as const;

test.for(typed)('when %j is typed, then threads are searched by %j', ([text, metadata]) => {
  expect(filterOf(text)).toEqual({ metadata, fault: undefined });
});

test.for(['words', '{"a": '])('when %j is typed, then it says how to write it', (text) => {
  expect(filterOf(text)).toMatchObject({ metadata: undefined, fault: expect.stringContaining('name=value') });
});
