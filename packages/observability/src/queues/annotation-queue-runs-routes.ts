import type { annotationQueueRuns } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, Problem } from '@roadstead/kit';
import type { PayloadKind } from '../records/run-operation.ts';
import { jsonAnswer, listText, objectText } from '../reading/json-answer.ts';
import { everything, selectionOf } from '../reading/run-answer-rules.ts';
import type { RunReader } from '../reading/run-reader-work.ts';
import { exportedRuns, queuedRuns } from './queue-answer-work.ts';
import { countBefore, countItems, listItems } from './queue-review-store.ts';
import { instantAt, reviewerOf } from './queue-rules.ts';
import { readQueue } from './queue-store.ts';

type QueueRunHandlers = Handlers<typeof annotationQueueRuns>;
type Call = Pick<Parameters<QueueRunHandlers['countQueuedRuns']>[0], 'params' | 'workspace_id' | 'principal'>;

const MAX_EXPORTED = 1000;

/** The operations of v1 that read the runs of annotation queues. */
export function queueRunHandlers(reader: RunReader, clock: Clock): QueueRunHandlers {
  const { db } = reader;
  /** The runs of a queue as the caller sees them; threads are for newer clients only. */
  const viewed = async ({ params, workspace_id, principal }: Call) => {
    const { queue_id } = params;
    await readQueue(db, { workspace_id, queue_id });
    const now = new Date(clock.now()).toISOString();
    return { workspace_id, queue_id, item_type: 'RUN', reviewer_id: reviewerOf(principal), now };
  };
  const size = async (call: Call, narrowed: object) => ({
    size: await countItems(db, { ...(await viewed(call)), ...narrowed }),
  });
  return {
    exportAnnotationQueue: async (call) => {
      const { start_time, end_time, include_annotator_detail } = call.body;
      const filter = {
        ...(await viewed(call)),
        section: 'completed' as const,
        reviewed_from: instantAt(start_time, ['body', 'start_time']) ?? undefined,
        reviewed_to: instantAt(end_time, ['body', 'end_time']) ?? undefined,
      };
      const items = await listItems(db, filter, { limit: MAX_EXPORTED, offset: 0 });
      return jsonAnswer(listText(await exportedRuns(reader, items, { include_annotator_detail })));
    },
    readQueuedRunAt: async (call) => {
      const filter = { ...(await viewed(call)), section: 'needs_my_review' as const };
      const items = await listItems(db, filter, { limit: 1, offset: call.params.index });
      const left_out = new Set<PayloadKind>(call.query.include_extra ? [] : ['extra']);
      const selection = everything({ left_out });
      const [run] = await queuedRuns(reader, items, { selection });
      if (run === undefined) throw new Problem('not_found', 'No run at this place waits for your review.');
      return jsonAnswer(objectText(run));
    },
    listQueuedRuns: async (call) => {
      const { status: section, archived: is_completed, limit, offset } = call.query;
      const filter = { ...(await viewed(call)), section, is_completed };
      const items = await listItems(db, filter, { limit, offset });
      const selection = selectionOf(undefined);
      return jsonAnswer(listText(await queuedRuns(reader, items, { selection })));
    },
    resolveQueuedRun: async (call) => {
      const filter = await viewed(call);
      const item_id = call.params.queue_run_id;
      const [item] = await listItems(db, { ...filter, item_id }, { limit: 1, offset: 0 });
      if (item === undefined)
        throw new Problem('not_found', 'There is no such entry in the annotation queue.');
      const { section } = item;
      return { section, position: await countBefore(db, { ...filter, section }, item) };
    },
    countOpenQueuedRuns: (call) => {
      const { status: section } = call.query;
      return size(call, section === undefined ? { is_completed: false } : { section });
    },
    countFinishedQueuedRuns: (call) =>
      size(call, {
        section: 'completed',
        reviewed_from: instantAt(call.query.start_time, ['query', 'start_time']) ?? undefined,
        reviewed_to: instantAt(call.query.end_time, ['query', 'end_time']) ?? undefined,
      }),
    countQueuedRuns: (call) => size(call, {}),
  };
}
