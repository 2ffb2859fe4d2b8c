import { type Bound, type Log, Loop, settled } from '@roadstead/kit';
import { DAY_MS, retention_days } from '../partitions/week-rules.ts';
import type { RowKey } from '../values/keys.ts';
import { forgetOldEntries } from './alert-log-store.ts';
import { dueAlerts } from './alert-store.ts';
import { type AlertContext, evaluateAlert } from './alert-work.ts';

/** Evaluates alerts when they are due. Instances share the work: the one that claims an alert evaluates it. */

const LISTED = 100;
/** Each reads runs; half of them are for one workspace. */
const alertBound: Bound<string> = { size: 2, owner: (key) => key.split('/', 1) };

export const alertKey = ({ workspace_id, id }: RowKey) => `${workspace_id}/${id}`;

export function alertLoop(context: AlertContext, log: Log, resync_ms = 5000): Loop {
  const { db, clock } = context;
  const due = dueAlerts();
  return new Loop({
    name: 'alerts',
    log,
    concurrency: alertBound.size,
    owner: alertBound.owner,
    resync_ms,
    list: async (isBusy) => {
      const now_ms = clock.now();
      await forgetOldEntries(db, new Date(now_ms - retention_days.longlived * DAY_MS).toISOString());
      const listed = await due.list(db, { limit: LISTED, isBusy, now: new Date(now_ms) });
      return { keys: listed.due.map(alertKey), has_more: listed.has_more };
    },
    reconcile: async (key) => {
      const [workspace_id = '', id = ''] = key.split('/');
      await evaluateAlert(context, { workspace_id, id });
      return settled;
    },
  });
}
