import { expect, test } from 'vitest';
import { allOf, bucketRange, FAILED, groupCondition } from './point-rules.ts';

const group = (name: string) => ({ kind: 'group' as const, group: name });

test.each([
  [{ kind: 'all', group: null }, 'model', undefined],
  [group('gpt "4"'), 'model', 'eq(model, "gpt \\"4\\"")'],
  [group('search'), 'tool', 'and(eq(run_type, "tool"), eq(name, "search"))'],
  [group('vip'), 'tag', 'has(tags, "vip")'],
  [group('llm'), 'run_type', 'eq(run_type, "llm")'],
] as const)('when a point is of %j by %s, then its runs are %s', (line, by, condition) => {
  expect(groupCondition(line, by)).toBe(condition);
});

test('when a filter, a group and a failure come together, then all of them hold', () => {
  expect(allOf([undefined, undefined])).toBeUndefined();
  expect(allOf(['eq(name, "a")', undefined, FAILED])).toBe('and(eq(name, "a"), eq(status, "error"))');
});

test('when a bucket reaches beyond the period, then the range ends where the period does', () => {
  const answer = { start_time: '2026-01-05T00:00:30Z', end_time: '2026-01-05T00:01:30Z', bucket_s: 60 };
  expect(bucketRange(Date.parse('2026-01-05T00:00:00Z'), answer)).toEqual({
    from: '2026-01-05T00:00:30.000Z',
    to: '2026-01-05T00:00:59.999Z',
  });
  expect(bucketRange(Date.parse('2026-01-05T00:01:00Z'), answer).to).toBe('2026-01-05T00:01:29.999Z');
});
