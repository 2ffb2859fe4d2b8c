import type { annotationQueueEntries } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { deleteItems, lockItem, updateItemTimes } from './queue-item-store.ts';
import { entryAnswer, instantAt, reviewerOf } from './queue-rules.ts';
import { readQueue } from './queue-store.ts';
import { addItems, review, type ReviewSubject } from './queue-work.ts';

type QueueEntryHandlers = Handlers<typeof annotationQueueEntries>;
type CallOf<Name extends keyof QueueEntryHandlers> = Parameters<QueueEntryHandlers[Name]>[0];

interface Options {
  readonly db: Database;
  readonly clock: Clock;
  /** Called after somebody asked for traces to be kept longer. */
  readonly extended: () => void;
}

const removed = { message: 'It is no longer in the annotation queue.' };

/** The operations of v1 that write to the runs of annotation queues. */
export function queueEntryHandlers(options: Options): QueueEntryHandlers {
  const { db, clock } = options;
  return {
    addRunsToQueue: (call) => add(options, call, call.body.map(wantedRun)),
    addKeyedRunsToQueue: (call) => add(options, call, call.body.map(wantedKey)),
    removeRunsFromQueue: async ({ params, body, workspace_id }) => {
      const queue = { workspace_id, queue_id: params.queue_id };
      await readQueue(db, queue);
      const { delete_all, run_ids, exclude_run_ids } = body;
      if (!delete_all && (run_ids ?? []).length === 0)
        throw new Problem('invalid', 'Name the runs in `run_ids`, or set `delete_all`.');
      const which = delete_all ? null : (run_ids ?? []);
      await deleteItems(db, queue, { which, except: exclude_run_ids ?? [] });
      return removed;
    },
    patchQueuedRun: async ({ params, body, workspace_id }) => {
      const { queue_id, queue_run_id: item_id } = params;
      const change = {
        added_at: instantAt(body.added_at, ['body', 'added_at']),
        last_reviewed_time: instantAt(body.last_reviewed_time, ['body', 'last_reviewed_time']),
      };
      const row = await db.transaction(async (tx) =>
        updateItemTimes(tx, await lockItem(tx, { workspace_id, item_id, queue_id }), change),
      );
      return entryAnswer(row);
    },
    removeRunFromQueue: async ({ params, workspace_id }) => {
      const { queue_id, queue_run_id: item_id } = params;
      await db.transaction(async (tx) => {
        const { id } = await lockItem(tx, { workspace_id, item_id, queue_id });
        await deleteItems(tx, { workspace_id, queue_id }, { which: [id], except: [] });
      });
      return removed;
    },
    setQueuedRunStatus: async ({ params, body, workspace_id, principal }) => {
      const said = {
        status: body.status ?? null,
        override_added_at: instantAt(body.override_added_at, ['body', 'override_added_at']),
        reviewer_id: reviewerOf(principal),
        now: new Date(clock.now()).toISOString(),
      };
      await db.transaction((tx) => review(tx, { workspace_id, item_id: params.queue_run_id }, said));
      return { message: 'The status is recorded.' };
    },
  };
}

async function add(
  { db, clock, extended }: Options,
  { params, workspace_id, query }: Pick<CallOf<'addRunsToQueue'>, 'params' | 'workspace_id' | 'query'>,
  wanted: readonly ReviewSubject[],
) {
  const { extend_trace_retention: extends_retention } = query;
  const queue = { workspace_id, queue_id: params.queue_id };
  const items = await db.transaction((tx) =>
    addItems(tx, queue, { wanted, now_ms: clock.now(), extends_retention }),
  );
  if (extends_retention) extended();
  return items.map(entryAnswer);
}

function wantedRun(one: CallOf<'addRunsToQueue'>['body'][number]): ReviewSubject {
  const { run_id, source_proposed_example_id = null } = typeof one === 'string' ? { run_id: one } : one;
  return { run_id, session_id: null, source_proposed_example_id };
}

/** The key's instant helps servers that search runs by it; here it is only validated. */
function wantedKey(one: CallOf<'addKeyedRunsToQueue'>['body'][number]): ReviewSubject {
  const { run_id, session_id, start_time, source_proposed_example_id = null } = one;
  instantAt(start_time, ['body', 'start_time']);
  return { run_id, session_id, source_proposed_example_id };
}
