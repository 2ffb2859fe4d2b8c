import type { threads } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import type { Clock } from '@roadstead/kit';
import { readFeedbackStats } from '../feedback/feedback-stats-store.ts';
import { columnText } from '../values/column-text-rules.ts';
import { THREAD_ID_LENGTH } from '../decoding/run-fields-rules.ts';
import { readCursor, writeCursor, type Cursor } from '../queries/cursor-rules.ts';
import { type Members, jsonAnswer, pageText } from '../reading/json-answer.ts';
import { queryAnswer } from '../reading/query-answer.ts';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import { refuseSemantics, windowOf } from '../queries/run-query-v2-rules.ts';
import { type RunReader, readRecords } from '../reading/run-reader-work.ts';
import { threadAnswer, threadConditionOf, threadStatsAnswer, threadTotalsAnswer } from './thread-rules.ts';
import { noTurns } from './thread-summary.ts';
import { readThreadSummaries, readTotals } from './thread-summary-store.ts';
import { findThreads, listThreadIds, openScope, readConversation } from './thread-work.ts';
import { payloadKinds } from '../records/run-operation.ts';
import { previewText, selectedTurnFields, turnMembers } from './thread-answer-rules.ts';
import { listTurns, readTurnNumbers } from './thread-store.ts';

type ThreadHandlers = Handlers<typeof threads>;

export function threadHandlers(reader: RunReader, clock: Clock): ThreadHandlers {
  const { db } = reader;
  return {
    queryThreads: async ({ body, workspace_id, request }) => {
      refuseSemantics(body);
      const condition = threadConditionOf(body);
      const cursor = readCursor(body.cursor, 'body');
      const scope = await openScope(reader, workspace_id, { ...body, ...windowOf(body, clock.now()) });
      const page = { cursor, limit: body.page_size, condition };
      const { threads, last } = await inLimitedTime(db, (tx) => findThreads(tx, scope, page));
      const items = threads.map((thread): Members =>
        Object.entries(threadAnswer(thread)).map(([name, value]) => [name, { value }]),
      );
      return queryAnswer(request, { items, next_cursor: last === undefined ? null : writeCursor(last) });
    },
    readThreadStats: async ({ params, query, workspace_id }) => {
      const thread_id = columnText(params.thread_id, THREAD_ID_LENGTH);
      const { session_id, selects, filter } = query;
      const scope = await openScope(reader, workspace_id, { project_id: session_id, filter });
      const one = { thread_ids: [thread_id] };
      const summaries = await inLimitedTime(db, (tx) => readThreadSummaries(tx, scope, one));
      const summary = summaries.get(thread_id) ?? noTurns;
      const thread = { workspace_id, session_id: scope.session_id, thread_ids: [thread_id] };
      const feedback = selects.includes('FEEDBACK_STATS')
        ? (await readFeedbackStats(db, thread)).get(thread_id)
        : undefined;
      return threadStatsAnswer(selects, { thread_id, summary, feedback: feedback ?? {} });
    },
    readThreadTotals: async ({ body, workspace_id }) => {
      const condition = threadConditionOf(body);
      const scope = await openScope(reader, workspace_id, { ...body, ...windowOf(body, clock.now()) });
      const totals = await inLimitedTime(db, async (tx) => {
        const thread_ids = condition && (await listThreadIds(tx, scope, { condition }));
        return readTotals(tx, scope, { thread_ids });
      });
      return threadTotalsAnswer(body.select, totals);
    },
    listThreadTraces: async ({ params, query, workspace_id }) => {
      const selected = selectedTurnFields(query.selects);
      const cursor: Cursor | undefined = readCursor(query.cursor, 'query');
      const thread_id = columnText(params.thread_id, THREAD_ID_LENGTH);
      const scope = await openScope(reader, workspace_id, query);
      const page = { thread_id, cursor, limit: query.page_size + 1 };
      const found = await inLimitedTime(db, (tx) => listTurns(tx, scope, page));
      const rows = found.slice(0, query.page_size);
      const last = found.length > query.page_size ? rows.at(-1) : undefined;
      const kinds = payloadKinds.filter((kind) => (selected as readonly string[]).includes(kind));
      const records = await readRecords(reader, rows, { payloads: kinds, facts: new Set() });
      const run_ids = selected.includes('turn_number') ? rows.map((row) => row.run_id) : [];
      const numbers = await readTurnNumbers(db, scope, { thread_id, run_ids });
      const items = records.map((record) =>
        turnMembers({ ...record, turn_number: numbers.get(record.row.run_id) }, selected),
      );
      const next_cursor = last === undefined ? null : writeCursor(last);
      return jsonAnswer(pageText({ name: 'items', items }, { next_cursor, has_more: last !== undefined }));
    },
    readThreadMessages: async ({ params, query, workspace_id }) => {
      const thread_id = columnText(params.thread_id, THREAD_ID_LENGTH);
      const scope = await openScope(reader, workspace_id, { project_id: query.session_id });
      const messages = await readConversation(reader, scope, { thread_id });
      const previews = query.select.map((form) => [form, previewText(messages, form)] as const);
      return { thread_id: params.thread_id, previews: Object.fromEntries(previews) };
    },
  };
}
