import type { QueueItemCreate, annotationQueueItems } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, malformed, Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { columnText } from '../values/column-text-rules.ts';
import { THREAD_ID_LENGTH } from '../decoding/run-fields-rules.ts';
import { readCursor, writeCursor } from '../queries/cursor-rules.ts';
import { deleteItems, lockItem, updateItemTimes } from './queue-item-store.ts';
import { countBefore, countItems, listItems, listItemsFrom } from './queue-review-store.ts';
import type { QueueId, StagedItem, QueueViewer } from './queue-row.ts';
import {
  boundAt,
  instantAt,
  itemAnswer,
  itemSectionOf,
  reviewerOf,
  sectionOf,
  stagedItemAnswer,
} from './queue-rules.ts';
import { readQueue } from './queue-store.ts';
import { addItems, review, type ReviewSubject } from './queue-work.ts';

type ItemHandlers = Handlers<typeof annotationQueueItems>;
type Call = Pick<Parameters<ItemHandlers['countQueueItems']>[0], 'workspace_id' | 'principal'> & {
  readonly params: { readonly queue_id: string };
};

interface Options {
  readonly db: Database;
  readonly clock: Clock;
  /** Called after somebody asked for traces to be kept longer. */
  readonly extended: () => void;
}

const cursorOf = (item: StagedItem) => writeCursor({ start_time: item.effective_added_at, run_id: item.id });

export function queueItemHandlers({ db, clock, extended }: Options): ItemHandlers {
  const now = () => new Date(clock.now()).toISOString();
  const viewed = async ({ params, workspace_id, principal }: Call) => {
    const { queue_id } = params;
    await readQueue(db, { workspace_id, queue_id });
    return { workspace_id, queue_id, reviewer_id: reviewerOf(principal), now: now() };
  };
  return {
    listQueueItems: async (call) => pageOf(db, await viewed(call), call.query),
    addQueueItems: async ({ params, query, body, workspace_id }) => {
      const { extend_trace_retention: extends_retention } = query;
      const wanted = body.items.map(wantedItem);
      const queue = { workspace_id, queue_id: params.queue_id };
      const items = await db.transaction((tx) =>
        addItems(tx, queue, { wanted, now_ms: clock.now(), extends_retention }),
      );
      if (extends_retention) extended();
      return { items: items.map(itemAnswer) };
    },
    removeQueueItems: async ({ params, body, workspace_id }) => {
      const queue = { workspace_id, queue_id: params.queue_id };
      await readQueue(db, queue);
      await deleteItems(db, queue, { which: body.item_ids, except: [] });
      return { message: 'They are no longer in the annotation queue.' };
    },
    countQueueItems: async (call) => {
      const { status, start_time, end_time } = call.query;
      const filter = {
        ...(await viewed(call)),
        section: sectionOf(status),
        reviewed_from: instantAt(start_time, ['query', 'start_time']) ?? undefined,
        reviewed_to: instantAt(end_time, ['query', 'end_time']) ?? undefined,
      };
      return { count: await countItems(db, filter) };
    },
    patchQueueItem: async ({ params, body, workspace_id }) => {
      const change = {
        added_at: instantAt(body.added_at, ['body', 'added_at']),
        last_reviewed_time: instantAt(body.last_reviewed_time, ['body', 'last_reviewed_time']),
      };
      const row = await db.transaction(async (tx) =>
        updateItemTimes(tx, await lockItem(tx, { workspace_id, ...params }), change),
      );
      return itemAnswer(row);
    },
    readQueueItemPlacement: async (call) => placementOf(db, await viewed(call), call.params.item_id),
    setQueueItemStatus: async ({ params, body, workspace_id, principal }) => {
      const status = body.status ?? null;
      const override_added_at = instantAt(body.override_added_at, ['body', 'override_added_at']);
      const said = { status, override_added_at, reviewer_id: reviewerOf(principal), now: now() };
      const item = await db.transaction((tx) => review(tx, { workspace_id, ...params }, said));
      const is_archived = item.section === 'completed';
      return { queue_item_id: item.id, status, override_added_at, is_archived };
    },
  };
}

async function pageOf(
  db: Database,
  viewed: QueueId & QueueViewer,
  query: Parameters<ItemHandlers['listQueueItems']>[0]['query'],
) {
  const { status, item_type, direction, page_size: limit } = query;
  const filter = {
    ...viewed,
    section: sectionOf(status),
    item_type,
    started_from: boundAt(query.min_start_time, ['query', 'min_start_time']),
    started_to: boundAt(query.max_start_time, ['query', 'max_start_time']),
  };
  const cursor = readCursor(query.cursor, 'query');
  const backward = direction === 'backward';
  if (backward && cursor === undefined)
    throw malformed(['query', 'cursor'], 'is required to go backward', 'missing');
  const found = await listItemsFrom(db, filter, { cursor, backward, limit });
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const items = (backward ? page.toReversed() : page).map(stagedItemAnswer);
  return { items, next_cursor: last === undefined ? null : cursorOf(last) };
}

/** The place of an item; its cursor begins a list with the item. */
async function placementOf(db: Database, viewed: QueueId & QueueViewer, item_id: string) {
  const [item] = await listItems(db, { ...viewed, item_id }, { limit: 1, offset: 0 });
  if (item === undefined) throw new Problem('not_found', 'There is no such entry in the annotation queue.');
  const { section, item_type } = item;
  const filter = { ...viewed, section };
  const position = await countBefore(db, filter, item);
  const before = position === 0 ? [] : await listItems(db, filter, { limit: 1, offset: position - 1 });
  const cursor = before[0] === undefined ? null : cursorOf(before[0]);
  return { section: itemSectionOf(section), position, item_type, cursor };
}

/** @throws Problem `malformed` where the item names neither a run nor a thread. */
function wantedItem(item: QueueItemCreate, index: number): ReviewSubject {
  const missing = (name: string) => malformed(['body', 'items', index, name], 'is required', 'missing');
  const session_id = item.project_id ?? item.session_id ?? null;
  const source_proposed_example_id = item.source_proposed_example_id ?? null;
  instantAt(item.start_time, ['body', 'start_time']);
  if (item.item_type === 'RUN') {
    if (item.run_id === null || item.run_id === undefined) throw missing('run_id');
    return { run_id: item.run_id, session_id, source_proposed_example_id };
  }
  if (item.thread_id === null || item.thread_id === undefined) throw missing('thread_id');
  if (session_id === null) throw missing('project_id');
  return { thread_id: columnText(item.thread_id, THREAD_ID_LENGTH), session_id, source_proposed_example_id };
}
