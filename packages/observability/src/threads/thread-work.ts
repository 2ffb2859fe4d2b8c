import type { Condition } from '../filters/filter-conditions.ts';
import { passes } from '../filters/filter-evaluator.ts';
import { readFeedbackStats } from '../feedback/feedback-stats-store.ts';
import type { Queryable } from '@roadstead/postgres';
import type { Cursor, CursorPage } from '../queries/cursor-rules.ts';
import {
  inOrder,
  MAX_SILENT_TURNS,
  type Message,
  RUNS_BELOW,
  SpeakingRuns,
} from '@roadstead/contracts/messages';
import { RunConversation } from '../reading/message-work.ts';
import { asksSearchRows } from '../queries/run-query-rules.ts';
import { readRecords, type RunReader } from '../reading/run-reader-work.ts';
import { requireSessions } from '../session-records/session-store.ts';
import { type SummedThread, type ThreadFilters, threadSubject, turnQuestionsOf } from './thread-rules.ts';
import type { FoundRun } from '../queries/run-query-store.ts';
import { type FoundThread, listBelow, listThreads, listTurns, type ThreadScope } from './thread-store.ts';
import { readThreadSummaries } from './thread-summary-store.ts';

interface ThreadQuery extends ThreadFilters {
  readonly project_id: string;
  readonly min_start_time?: string | undefined;
  readonly max_start_time?: string | undefined;
}

/** Makes sure that the project exists, and that search rows have caught up where the filters need them. */
export async function openScope(
  { db, digest }: RunReader,
  workspace_id: string,
  { project_id, min_start_time, max_start_time, ...filters }: ThreadQuery,
): Promise<ThreadScope> {
  const asked = turnQuestionsOf(filters);
  await requireSessions(db, { workspace_id, ids: [project_id] });
  if (asked.some(asksSearchRows)) await digest.caughtUp(workspace_id);
  return { workspace_id, session_id: project_id.toLowerCase(), min_start_time, max_start_time, asked };
}

/** The number of threads that are summed up at once, and the number of times for one page. */
const BATCH = 100;
const BATCHES = 20;

export interface ThreadPage {
  readonly threads: readonly SummedThread[];
  /** The last examined thread, where more may follow. */
  readonly last: Cursor | undefined;
}

/** Threads by their last turn; where a condition concerns the whole thread, they are examined one by one. */
export async function findThreads(
  db: Queryable,
  scope: ThreadScope,
  { cursor, limit, condition }: CursorPage & { readonly condition: Condition | undefined },
): Promise<ThreadPage> {
  const threads: SummedThread[] = [];
  let at = cursor;
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const size = condition === undefined ? limit : BATCH;
    const found = await listThreads(db, scope, { cursor: at, limit: size + 1 });
    const looked_at = found.slice(0, size);
    const summed = await summedUp(db, scope, looked_at);
    for (const place of looked_at) {
      at = place;
      const thread = summed.get(place.thread_id);
      if (thread !== undefined && (condition === undefined || passes(condition, threadSubject(thread))))
        threads.push(thread);
      const is_last = found.length <= size && place === looked_at.at(-1);
      if (threads.length === limit) return { threads, last: is_last ? undefined : at };
    }
    if (found.length <= size) return { threads, last: undefined };
  }
  return { threads, last: at };
}

/** The totals of threads by their ids. The conditions of `scope` chose the threads; all of their turns count. */
async function summedUp(
  db: Queryable,
  scope: ThreadScope,
  found: readonly FoundThread[],
): Promise<Map<string, SummedThread>> {
  const thread_ids = found.map(({ thread_id }) => thread_id);
  const summaries = await readThreadSummaries(db, { ...scope, asked: [] }, { thread_ids });
  const { workspace_id, session_id } = scope;
  const feedback = await readFeedbackStats(db, { workspace_id, session_id, thread_ids });
  return new Map(
    [...summaries].map(([thread_id, summary]) => [
      thread_id,
      { thread_id, summary, feedback: feedback.get(thread_id) ?? {} },
    ]),
  );
}

/** The ids of the threads for which the condition holds. */
export async function listThreadIds(
  db: Queryable,
  scope: ThreadScope,
  { condition }: { readonly condition: Condition },
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: Cursor | undefined;
  do {
    const { threads, last } = await findThreads(db, scope, { cursor, limit: BATCH, condition });
    ids.push(...threads.map(({ thread_id }) => thread_id));
    cursor = last;
  } while (cursor !== undefined);
  return ids;
}

/** The number of turns that are read at once: each may repeat the whole conversation before it. */
const TURNS_AT_ONCE = 25;

/**
 * The conversation of a thread, each message once; only its beginning, where so many turns without messages would
 * make one answer too costly.
 */
export async function readConversation(
  reader: RunReader,
  scope: ThreadScope,
  { thread_id }: { readonly thread_id: string },
): Promise<readonly Message[]> {
  const conversation = new RunConversation();
  let cursor: Cursor | undefined;
  let silent = 0;
  do {
    const rows = await listTurns(reader.db, scope, { thread_id, cursor, limit: TURNS_AT_ONCE });
    const records = await readRecords(reader, rows, { payloads: ['inputs', 'outputs'], facts: new Set() });
    for (const { row, payloads } of records) {
      if (await conversation.addTurn(payloads)) continue;
      if (silent === MAX_SILENT_TURNS) return conversation.messages;
      silent += 1;
      if (!(await addBelow(reader, conversation, row))) await conversation.addWhole(payloads);
    }
    cursor = rows.length === TURNS_AT_ONCE ? rows.at(-1) : undefined;
  } while (cursor !== undefined && !conversation.isFull);
  return conversation.messages;
}

/** @returns whether any run below it has messages. */
async function addBelow(reader: RunReader, conversation: RunConversation, root: FoundRun): Promise<boolean> {
  let isAny = false;
  const speaking = new SpeakingRuns();
  const rows = inOrder(await listBelow(reader.db, root, { limit: RUNS_BELOW }));
  for (let from = 0; from < rows.length && !conversation.isFull; from += TURNS_AT_ONCE) {
    const some = rows
      .slice(from, from + TURNS_AT_ONCE)
      .filter((row) => !speaking.isRepeated(row.dotted_order));
    const records = await readRecords(reader, some, { payloads: ['inputs', 'outputs'], facts: new Set() });
    for (const { row, payloads } of records) {
      if (speaking.isRepeated(row.dotted_order)) continue;
      if (!(await conversation.add(payloads))) continue;
      speaking.take(row.dotted_order);
      isAny = true;
    }
  }
  return isAny;
}
