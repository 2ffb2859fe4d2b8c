import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { stopSignal } from './stop-signal.ts';

test.each<[string, readonly (readonly [at_ms: number, signal: string])[], boolean, boolean]>([
  ['nothing', [], false, false],
  ['one', [[0, 'SIGINT']], true, false],
  [
    'a terminal’s, passed on by npm',
    [
      [0, 'SIGINT'],
      [0, 'SIGINT'],
      [40, 'SIGINT'],
    ],
    true,
    false,
  ],
  [
    'a second one after a second',
    [
      [5, 'SIGINT'],
      [1006, 'SIGINT'],
    ],
    true,
    true,
  ],
  [
    'a second one within it',
    [
      [5, 'SIGINT'],
      [1005, 'SIGTERM'],
    ],
    true,
    false,
  ],
  [
    'a supervisor’s, then a terminal’s',
    [
      [0, 'SIGTERM'],
      [3000, 'SIGINT'],
    ],
    true,
    true,
  ],
  ['a terminal that is closed', [[0, 'SIGHUP']], true, false],
])('when signals come, then stopping is asked for or forced: %s', (_what, signals, asked, forced) => {
  const source = new EventEmitter();
  let now = 0;
  const stop = stopSignal(source, () => now);
  for (const [at_ms, signal] of signals) {
    now = at_ms;
    source.emit(signal);
  }
  expect([stop.signal.aborted, stop.forced.aborted]).toEqual([asked, forced]);
});
