import { expect, test } from 'vitest';
import { ApiError } from '@roadstead/contracts';
import { freshDatabase } from '@roadstead/testing';
import { classifyError, problemOf } from './error-class.ts';
import { Problem } from './problem.ts';

const coded = (code: string) => Object.assign(new Error(code), { code });
const fetchFailed = (cause: Error) => new TypeError('fetch failed', { cause });

test.each([
  ['a service that is not reached', new ApiError('away', { status: 0 }), 'outage'],
  ['a service without its database', new ApiError('away', { status: 503 }), 'outage'],
  ['a proxy before it', new ApiError('away', { status: 502 }), 'outage'],
  ['a service that has too much to do', new ApiError('later', { status: 429 }), 'outage'],
  ['a bug of a service', new ApiError('bug', { status: 500 }), 'accident'],
  ['an address that is not there', new ApiError('gone', { status: 404 }), 'refusal'],
  ['a word that is not taken', new ApiError('no', { status: 422 }), 'refusal'],
  ['Postgres that shuts down', coded('57P01'), 'outage'],
  ['a statement that takes too long', coded('57014'), 'outage'],
  ['a deadlock', coded('40P01'), 'outage'],
  ['a NUL in a text', coded('22021'), 'refusal'],
  ['no uuid', coded('22P02'), 'refusal'],
  ['a NUL in JSON', coded('22P05'), 'refusal'],
  ['a number that no column holds', coded('22003'), 'refusal'],
  ['a wrong statement', coded('42601'), 'accident'],
  ['a refused connection', fetchFailed(coded('ECONNREFUSED')), 'outage'],
  ['a connection that broke', fetchFailed(coded('UND_ERR_SOCKET')), 'outage'],
  ['a redirect', fetchFailed(new Error('unexpected redirect')), 'accident'],
  ['no answer in time', new DOMException('late', 'TimeoutError'), 'outage'],
  ['a full disk', coded('ENOSPC'), 'accident'],
  ['too many bodies', new Problem('limit', 'later'), 'outage'],
  ['a name that is taken', new Problem('conflict', 'taken'), 'refusal'],
  ['a failure of ours', new Problem('internal', 'bug'), 'accident'],
  ['no error at all', 'text', 'accident'],
])(
  'when an error is judged, then it is an outage, a refusal or an accident: %s',
  (_what, error, judgement) => {
    expect(classifyError(error)).toBe(judgement);
  },
);

test('when a call fails, then its caller learns of outages and refusals, not of accidents', () => {
  expect(problemOf(coded('57P01'))).toMatchObject({ kind: 'unavailable', retry_after_s: 1 });
  expect(problemOf(new ApiError('secret', { status: 503 }))?.message).not.toContain('secret');
  expect(problemOf(coded('22021'))).toMatchObject({ kind: 'malformed' });
  expect(problemOf(coded('42601'))).toBeUndefined();
});

test.each([
  ['select $1::text', 'a\0b'],
  ['select $1::jsonb', String.raw`"\u0000"`],
  ['select $1::jsonb', String.raw`"\ud800"`],
  ['select $1::uuid', 'no uuid'],
])('when Postgres refuses %s of %j, then it is the caller’s fault', async (text, value) => {
  await using fresh = await freshDatabase();
  const error = await fresh.db.query(text, [value]).catch((cause: unknown) => cause);
  expect(problemOf(error)).toMatchObject({ kind: 'malformed' });
});
