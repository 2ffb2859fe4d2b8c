import { type Bound, Loop, settled } from '@roadstead/kit';
import { dueCalls } from './playground-call-store.ts';
import { makeCall } from './playground-call-work.ts';
import type { PlaygroundContext } from './playground-context.ts';
import type { CallKey } from './playground-experiment-row.ts';

/** Makes the calls of experiments. Instances share the work: the one that claims a call makes it. */

const LISTED = 200;
/** A call may take ten minutes. Half of them are for one workspace, and half of these for one experiment. */
const callBound: Bound<string> = { size: 32, owner: (key) => key.split('/', 2) };

type CallLoopContext = Pick<PlaygroundContext, 'db' | 'log'>;

/** @param make one call; it throws where the whole pass is to run again. */
export function playgroundCallLoop(
  { db, log }: CallLoopContext,
  make: (key: CallKey, signal: AbortSignal) => Promise<void>,
): Loop {
  const due = dueCalls();
  return new Loop({
    name: 'calls of the playground',
    log,
    concurrency: callBound.size,
    owner: callBound.owner,
    resync_ms: 1000,
    slow_ms: 660_000,
    list: async (isBusy) => {
      const listed = await due.list(db, { limit: LISTED, isBusy });
      return { keys: listed.due.map(keyOf), has_more: listed.has_more };
    },
    reconcile: async (key, signal) => {
      const [workspace_id = '', experiment_id = '', run_id = ''] = key.split('/');
      await make({ workspace_id, experiment_id, run_id }, signal);
      return settled;
    },
  });
}

export const callLoopOf = (context: PlaygroundContext): Loop =>
  playgroundCallLoop(context, (key, signal) => makeCall(context, key, signal));

const keyOf = ({ workspace_id, experiment_id, run_id }: CallKey) =>
  `${workspace_id}/${experiment_id}/${run_id}`;
