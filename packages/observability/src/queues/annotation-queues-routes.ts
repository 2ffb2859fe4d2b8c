import type { annotationQueues } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { WorkspacesOf } from '../workspaces/workspaces.ts';
import { readUserNames } from '../workspaces/user-names-work.ts';
import { findRun } from '../queries/run-query-store.ts';
import type { QueueRow } from './queue-row.ts';
import {
  newQueue,
  queueAnswer,
  queueChange,
  reviewerOf,
  rubricKeysOf,
  wholeQueueAnswer,
} from './queue-rules.ts';
import { deleteQueues, insertQueue, listQueues, readQueue, updateQueue } from './queue-store.ts';
import { populateQueue } from './queue-work.ts';

type QueueHandlers = Handlers<typeof annotationQueues>;

const newestFirst = { sort_by: 'created_at', descending: true, offset: 0 } as const;

interface Options {
  readonly db: Database;
  readonly clock: Clock;
  readonly workspaces: WorkspacesOf;
}

export function queueHandlers({ db, clock, workspaces }: Options): QueueHandlers {
  const namesOf = (rows: readonly QueueRow[]) =>
    readUserNames(
      workspaces,
      rows.flatMap(({ workspace_id, assigned_reviewers }) =>
        assigned_reviewers.map((user_id) => ({ workspace_id, user_id })),
      ),
    );
  const now = () => new Date(clock.now()).toISOString();
  return {
    listAnnotationQueues: async ({ query, workspace_id, principal }) => {
      if (query.tag_value_id !== undefined) return [];
      const { ids, name, name_contains, dataset_id, queue_type } = query;
      const reviewer_id = query.assigned_to_me ? reviewerOf(principal) : undefined;
      const filter = { workspace_id, ids, name, name_contains, dataset_id, queue_type, reviewer_id };
      const { sort_by, sort_by_desc: descending, limit, offset } = query;
      const rows = await listQueues(db, filter, { sort_by, descending, limit, offset });
      const names = await namesOf(rows);
      return rows.map(({ total_runs, ...row }) => ({
        ...queueAnswer(row, names),
        total_runs,
        rubric_keys: query.include_rubric_keys ? rubricKeysOf(row) : null,
      }));
    },
    createAnnotationQueue: async ({ body, workspace_id }) => {
      const row = newQueue(body, { workspace_id, id: body.id?.toLowerCase() ?? uuidv7(), created_at: now() });
      const session_ids = body.session_ids ?? [];
      return db.transaction(async (tx) => {
        const stored = await insertQueue(tx, row);
        const queue = { workspace_id, queue_id: stored.id };
        await populateQueue(tx, queue, { session_ids, now_ms: clock.now() });
        return queueAnswer(stored);
      });
    },
    deleteAnnotationQueues: async ({ query, workspace_id }) => {
      await deleteQueues(db, { workspace_id, queue_ids: [...new Set(query.queue_ids)] });
      return { message: 'The annotation queues are deleted.' };
    },
    populateAnnotationQueue: async ({ body, workspace_id }) => {
      const { queue_id, session_ids } = body;
      await db.transaction((tx) =>
        populateQueue(tx, { workspace_id, queue_id }, { session_ids, now_ms: clock.now() }),
      );
      return { message: 'The runs are in the annotation queue.' };
    },
    readAnnotationQueue: async ({ params, workspace_id }) => {
      const row = await readQueue(db, { workspace_id, queue_id: params.queue_id });
      return wholeQueueAnswer(row, await namesOf([row]));
    },
    patchAnnotationQueue: async ({ params, body, workspace_id }) => {
      const id = { workspace_id, queue_id: params.queue_id };
      const row = await updateQueue(db, id, { ...queueChange(body), updated_at: now() });
      return wholeQueueAnswer(row, await namesOf([row]));
    },
    deleteAnnotationQueue: async ({ params, workspace_id }) => {
      await deleteQueues(db, { workspace_id, queue_ids: [params.queue_id] });
      return { message: 'The annotation queue is deleted.' };
    },
    listQueuesOfRun: async ({ params, workspace_id }) => {
      const { run_id } = params;
      if ((await findRun(db, { workspace_id, run_id, now_ms: clock.now() })) === undefined)
        throw new Problem('not_found', 'There is no such run.');
      const rows = await listQueues(db, { workspace_id, run_id }, { ...newestFirst, limit: 1000 });
      const names = await namesOf(rows);
      return rows.map((row) => queueAnswer(row, names));
    },
  };
}
