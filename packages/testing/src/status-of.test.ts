import { expect, test } from 'vitest';
import { statusOf } from './status-of.ts';

test.each([
  ['succeeds', async () => ({ status: 418 }), 200],
  [
    'ends with an error of a status',
    () => Promise.reject(Object.assign(new Error('no'), { status: 404 })),
    404,
  ],
])('when a call %s, then that is its status', async (_title, call, status) => {
  expect(await statusOf(call())).toBe(status);
});

test('when a call ends with an error without a status, then it is thrown', async () => {
  await expect(statusOf(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
