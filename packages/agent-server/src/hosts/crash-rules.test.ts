import { expect, test } from 'vitest';
import { CRASH_LIMITS, recentExits, troubleOf, waitBeforeStart } from './crash-rules.ts';

const limits = CRASH_LIMITS;
/** Exits that were so many seconds ago, `m` for those without memory left. */
const exitsAt = (...ago: (number | `${number}m`)[]) =>
  ago.map((one) => ({
    at_ms: -1000 * Number.parseFloat(String(one)),
    out_of_memory: String(one).endsWith('m'),
  }));

test.each([
  [[], 0, 0],
  [[1, 2, 3, 4], 1, 0],
  [[1, 2, 3, 4, 5], 1, 59_000],
  [[1, 2, 3, 4, 299], 20, 40_000],
  [[1, 2, 3, 4, 300], 1, 0],
  [[1, 2, 3, 4, 5, 6], 60, 0],
  [[1, 2, 3, 4, 5, 6], 100, 0],
] as const)(
  'when exits were %j s ago and a start %d s ago, then none is started for %d ms',
  (ago, start_s, wait_ms) => {
    const recent = recentExits(exitsAt(...ago), 0, limits);
    expect(waitBeforeStart(recent, { last_start_ms: -1000 * start_s, now: 0, limits })).toBe(wait_ms);
  },
);

test.each([
  [[], undefined, ''],
  [[1, 2, 3, 4], undefined, ''],
  [[1, 2, 3, 4, 5], 'crash_loop', 'ended by itself, 5 times within 5 minutes. It is started once in 60 s'],
  [['1m'], 'out_of_memory', 'took more than 512 MB of memory and ended, once within 5 minutes.'],
  [[1, '2m'], 'out_of_memory', '2 times'],
  [['1m', '2m', '3m', 4, 5], 'out_of_memory', 'It is started once in 60 s'],
  [['1m', 2, 3, 4, 5], 'crash_loop', 'ended by itself'],
  [['301m'], undefined, ''],
] as const)('when exits were %j s ago, then the trouble is %s', (ago, code, message) => {
  const trouble = troubleOf(recentExits(exitsAt(...ago), 0, limits), { limits, memory_mb: 512 });
  expect(trouble?.code).toBe(code);
  expect(trouble?.message ?? '').toContain(message);
});
