import { expect, test } from 'vitest';
import { hasEnded, phaseSpans } from './phase-rules.ts';

const at = (s: number) => new Date(1_000_000_000_000 + s * 1000).toISOString();
const now_ms = Date.parse(at(100));

test('when phases have ended, then each has its time, and the last one the end of the revision', () => {
  const phases = [
    { phase: 'queue', started_at: at(0), ended_at: at(2) },
    { phase: 'build', started_at: at(2), ended_at: at(5) },
  ] as const;
  expect(phaseSpans({ status: 'BUILD_FAILED', updated_at: at(5), phases }, now_ms)).toEqual([
    { phase: 'queue', ms: 2000, state: 'done' },
    { phase: 'build', ms: 3000, state: 'failed' },
  ]);
});

test.each([
  ['BUILDING', 98_000, 'running'],
  ['INTERRUPTED', 8000, 'stopped'],
  ['DEPLOYED', 8000, 'done'],
] as const)('when a phase is open in a revision that is %s, then it lasts %i ms: %s', (status, ms, state) => {
  const phases = [{ phase: 'install', started_at: at(2), ended_at: null }] as const;
  expect(phaseSpans({ status, updated_at: at(10), phases }, now_ms)).toEqual([
    { phase: 'install', ms, state },
  ]);
});

test('when the clock of the server is ahead, then no time is negative', () => {
  const phases = [{ phase: 'queue', started_at: at(200), ended_at: null }] as const;
  expect(phaseSpans({ status: 'QUEUED', updated_at: at(200), phases }, now_ms)[0]?.ms).toBe(0);
});

test('when nothing follows a status, then it has ended', () => {
  expect((['DEPLOYED', 'SKIPPED', 'UNKNOWN', 'BUILDING'] as const).map(hasEnded)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
