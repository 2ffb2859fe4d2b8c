import { expect, test } from 'vitest';
import { ApiError } from '@roadstead/contracts';
import { patiently } from './patience.ts';

const failing = (errors: readonly unknown[]) => {
  const left = [...errors];
  return async () => {
    if (left.length === 0) return 'there';
    throw left.shift();
  };
};
const away = (status: number) => new ApiError('http://here cannot be reached.', { status });

test('when the platform is away, then it is asked until it is back', async () => {
  const ask = failing([away(0), away(503), away(502)]);
  expect(await patiently(ask, { wait_ms: 1 })).toBe('there');
});

test.each([away(404), away(401), away(500), new Error('a mistake')])(
  'when %s comes back, then it is the answer and nobody asks again',
  async (error) => {
    await expect(patiently(failing([error]), { wait_ms: 1 })).rejects.toBe(error);
  },
);

test('when the platform stays away or the caller wishes, then asking ends in a sentence', async () => {
  const never = async () => Promise.reject(away(0));
  await expect(patiently(never, { wait_ms: 1, away_ms: 20 })).rejects.toThrow(
    'The platform has been away for 0 s: http://here cannot be reached. Work in progress continues when it is back.',
  );
  await expect(patiently(never, { signal: AbortSignal.timeout(20) })).rejects.toThrow(/abort|timeout/);
});
