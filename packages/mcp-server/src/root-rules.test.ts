import { expect, test } from 'vitest';
import { refuseRoot } from './root-rules.ts';

test.each([
  ['another user', 1000, false],
  ['root who means it', 0, true],
  ['a system without users', undefined, false],
])('%s may start it', (_who, uid, allow) => {
  expect(() => refuseRoot(uid, allow)).not.toThrow();
});

test('root may not', () => {
  expect(() => refuseRoot(0, false)).toThrow('does not run as root');
});
