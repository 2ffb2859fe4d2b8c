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
])('%s is near %s', (typed, name) => {
  expect(nearestOf(typed, names)).toBe(name);
});
