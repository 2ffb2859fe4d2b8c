import type { observability } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/kit';
import { columnText } from '../ingest/column-text-rules.ts';
import { payloadKinds } from '../ingest/run-operation.ts';
import { THREAD_ID_LENGTH } from '../ingest/run-fields-rules.ts';
import { readCursor, writeCursor } from '../runs/cursor-rules.ts';
import { jsonAnswer, pageText } from '../runs/json-answer.ts';
import { refuseLanguages } from '../runs/run-query-rules.ts';
import { listThreadRuns } from '../runs/run-query-store.ts';
import { readRecords, type RunReader } from '../runs/run-reader-work.ts';
import { requireSessions } from '../sessions/session-store.ts';
import { selectedTurnFields, turnMembers } from './thread-answer-rules.ts';

export function threadHandlers(reader: RunReader): Pick<Handlers<typeof observability>, 'listThreadTraces'> {
  const { db } = reader;
  return {
    listThreadTraces: async ({ params, query, workspace_id }) => {
      refuseLanguages({ filter: query.filter });
      const selected = selectedTurnFields(query.selects);
      const cursor = readCursor(query.cursor, 'query');
      await requireSessions(db, { workspace_id, ids: [query.project_id] });
      const found = await listThreadRuns(db, {
        workspace_id,
        session_id: query.project_id,
        thread_id: columnText(params.thread_id, THREAD_ID_LENGTH),
        limit: query.page_size,
        cursor,
      });
      const page = found.slice(0, query.page_size);
      const last = found.length > query.page_size ? page.at(-1) : undefined;
      const records = await readRecords(reader, page, {
        payloads: payloadKinds.filter((kind) => (selected as readonly string[]).includes(kind)),
        facts: new Set(),
      });
      const items = records.map((record) => turnMembers(record, selected));
      const next_cursor = last === undefined ? null : writeCursor(last);
      return jsonAnswer(pageText({ name: 'items', items }, { next_cursor, has_more: last !== undefined }));
    },
  };
}
