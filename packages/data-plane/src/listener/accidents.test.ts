import { expect, test } from 'vitest';
import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { Accidents, isOutage } from './accidents.ts';

const coded = (code: string, name = 'Error') => Object.assign(new Error(code), { code, name });
const fetchFailed = (cause: Error) => new TypeError('fetch failed', { cause });

test.each([
  ['a control plane that is not reached', new ApiError(0, 'away', null), true],
  ['a control plane without its database', new ApiError(503, 'away', null), true],
  ['a proxy before it', new ApiError(502, 'away', null), true],
  ['a lease that another life has', new ApiError(409, 'stale', null), true],
  ['a bug of the control plane', new ApiError(500, 'bug', null), false],
  ['an endpoint that is not there', new ApiError(404, 'gone', null), false],
  ['Postgres that shuts down', coded('57P01'), true],
  ['a refused connection', fetchFailed(coded('ECONNREFUSED')), true],
  ['a connection that broke', fetchFailed(coded('UND_ERR_SOCKET')), true],
  ['a redirect', fetchFailed(new Error('unexpected redirect')), false],
  ['no answer in time', new DOMException('late', 'TimeoutError'), true],
  ['a full disk', coded('ENOSPC'), false],
  ['a file that may not be read', coded('EACCES'), false],
])('%s', (_what, error, isPassing) => {
  expect(isOutage(error)).toBe(isPassing);
});

test('accidents are counted by target, and in time; an outage never counts', () => {
  const accidents = new Accidents();
  const fails = (error: unknown, target: string, now = 0) => accidents.failureBy(error, target, now);
  for (let at = 0; at < 100; at += 1) expect(fails(coded('ECONNREFUSED'), 'one')).toBeUndefined();
  for (let at = 0; at < 5; at += 1) expect(fails(coded('ENOSPC'), 'one')).toBeUndefined();
  expect(fails(coded('ENOSPC'), 'one')?.message).toBe(
    'It was tried 6 times, and each time no space is left on the disk (ENOSPC).',
  );
  expect(fails(coded('ENOSPC'), 'two')).toBeUndefined();
  expect(fails(coded('ENOSPC'), 'two', 3_600_000)).toBeInstanceOf(Problem);
  const refusal = new Problem('invalid', 'no');
  expect(fails(refusal, 'three')).toBe(refusal);
});
