import { expect, test } from 'vitest';
import { refuseRoot } from './http-process.ts';

test.each([
  ['another user', 1000, false],
  ['root who means it', 0, true],
  ['a system without users', undefined, false],
])('when %s starts it, then it starts', (_who, uid, allow) => {
  expect(() => refuseRoot(uid, allow)).not.toThrow();
});

test('when root starts it, then it refuses', () => {
  expect(() => refuseRoot(0, false)).toThrow('does not run as root');
});
