import { type Log, silentLog } from '@roadstead/kit';
import { expect, test } from 'vitest';
import type { ThreadRow } from './thread-row.ts';
import { ThreadStates } from './thread-states.ts';

test.each([
  [null, []],
  ['gone', []],
  ['served', ['asked', 'warned']],
])(
  'when a thread’s graph is %s, then its values are asked for only where it is served',
  async (graph_id, done) => {
    const heard: string[] = [];
    const log: Log = { ...silentLog, warn: () => void heard.push('warned') };
    const ask = () => Promise.reject(new Error(String(heard.push('asked'))));
    const states = new ThreadStates({
      db: {} as never,
      runs: { ask, isBusy: () => false } as never,
      isServed: (one) => one === 'served',
      mask: (text) => text,
      expose_errors: false,
      log,
    });
    const row = { thread_id: 't', graph_id, values_stale: true, has_checkpoint: true, config: '{}' };
    expect(await states.refresh(row as ThreadRow)).toBe(false);
    expect(heard).toEqual(done);
  },
);
