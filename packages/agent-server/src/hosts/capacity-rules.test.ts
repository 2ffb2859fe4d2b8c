import { expect, test } from 'vitest';
import { FEW_RUNS, type HostWork, MAX_UNACCEPTED, mostAfterDeath, takesMore } from './capacity-rules.ts';

const limits = { jobs_per_host: 1000, memory_mb: 1024 };
const load = { late_ms: 2, busy: 0.4, heap: 0.3, resident_bytes: 300 * 1_048_576 };
const host: HostWork = { runs: 300, unaccepted: 0, load, load_age_ms: 90 };

test.each<[string, Partial<HostWork>, boolean]>([
  ['has 300 runs that wait', {}, true],
  ['has as many as may be', { runs: 1000 }, false],
  ['has as many that have not begun as may be', { unaccepted: MAX_UNACCEPTED }, false],
  ['has one fewer of these', { unaccepted: MAX_UNACCEPTED - 1 }, true],
  ['has an event loop that is late', { load: { ...load, late_ms: 101 } }, false],
  ['computes without a pause', { load: { ...load, busy: 0.96 } }, false],
  ['has little of its heap left', { load: { ...load, heap: 0.76 } }, false],
  ['has little of its memory left', { load: { ...load, resident_bytes: 800 * 1_048_576 } }, false],
  ['has said nothing of itself for long', { load_age_ms: 501 }, false],
  ['has said nothing of itself yet', { load: undefined }, false],
  ['has few runs, and computes', { runs: FEW_RUNS - 1, load: { ...load, busy: 1, late_ms: 400 } }, true],
  ['has few runs, and said nothing yet', { runs: 0, load: undefined }, true],
  ['has few runs, and little memory left', { runs: 8, load: { ...load, heap: 0.9 } }, false],
  ['has too few runs to tell, and had little memory left', { runs: 7, load: { ...load, heap: 0.9 } }, true],
  [
    'has few runs, and had little memory left',
    { runs: 1, load: { ...load, heap: 0.9 }, load_age_ms: 9000 },
    true,
  ],
])('when a host %s, then that decides whether it takes another run', (_, some, expected) => {
  expect(takesMore({ ...host, ...some }, limits)).toBe(expected);
});

test('when the operator sets a number of runs, then it is an upper bound for every host', () => {
  for (const runs of [0, 1, 2, 3])
    expect(takesMore({ ...host, runs, load: undefined }, { ...limits, jobs_per_host: 2 })).toBe(runs < 2);
});

test.each([
  [1, 10],
  [10, 10],
  [200, 14],
  [1000, 31],
])('when a host with %i runs ended for one of them, then hosts take %i', (runs, most) => {
  expect(mostAfterDeath(runs)).toBe(most);
});
