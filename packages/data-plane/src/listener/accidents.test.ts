import { expect, test } from 'vitest';
import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { SourceAway } from '../ports/source-away.ts';
import { Accidents } from './accidents.ts';

const coded = (code: string) => Object.assign(new Error(code), { code });

test('when accidents are counted, then it is by target and in time, and an outage never counts', () => {
  const accidents = new Accidents();
  const fails = (error: unknown, target: string, now = 0) => accidents.failureBy(error, target, now);
  const stale = new ApiError('stale', { status: 409 });
  for (let at = 0; at < 100; at += 1)
    for (const outage of [coded('ECONNREFUSED'), stale]) expect(fails(outage, 'one')).toBeUndefined();
  for (let at = 0; at < 5; at += 1) expect(fails(coded('ENOSPC'), 'one')).toBeUndefined();
  expect(fails(coded('ENOSPC'), 'one')?.message).toBe(
    'It was tried 6 times, and each time no space is left on the disk (ENOSPC).',
  );
  expect(fails(coded('ENOSPC'), 'two')).toBeUndefined();
  expect(fails(coded('ENOSPC'), 'two', 3_600_000)).toBeInstanceOf(Problem);
  const refusal = new Problem('invalid', 'no');
  expect(fails(refusal, 'three')).toBe(refusal);
});

test('when the host of a source is away, then that is said after two minutes', () => {
  const accidents = new Accidents();
  const away = new SourceAway(
    new Problem('unavailable', 'git.test can’t be reached.', { code: 'git_host_away' }),
  );
  for (const now of [0, 1000, 119_999]) expect(accidents.failureBy(away, 'one', now)).toBeUndefined();
  expect(accidents.failureBy(away, 'one', 120_000)).toMatchObject({
    message: 'It was tried 4 times. git.test can’t be reached.',
    code: 'git_host_away',
  });
});
