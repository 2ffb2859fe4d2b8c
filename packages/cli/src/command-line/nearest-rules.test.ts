import { expect, test } from 'vitest';
import { nearestOf } from './nearest-rules.ts';

const names = ['up', 'init', 'deploy', 'dev', 'list', 'logs', 'delete', 'revisions', 'rollback'];

test.each([
  ['lsit', 'list'],
  ['deplyo', 'deploy'],
  ['rev', 'revisions'],
  ['log', 'logs'],
  ['rollbak', 'rollback'],
  ['upp', 'up'],
  ['nonsense', undefined],
  ['', undefined],
  ['x', undefined],
])('when %s is typed, then the nearest name is %s', (typed, name) => {
  expect(nearestOf(typed, names)).toBe(name);
});
