import type { observability } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/kit';
import { columnText } from '../values/column-text-rules.ts';
import { THREAD_ID_LENGTH } from '../decoding/run-fields-rules.ts';
import { payloadKinds } from '../records/run-operation.ts';
import { type Cursor, readCursor, writeCursor } from '../queries/cursor-rules.ts';
import { jsonAnswer, pageText } from '../reading/json-answer.ts';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import { readRecords, type RunReader } from '../reading/run-reader-work.ts';
import { previewText, selectedTurnFields, turnMembers } from './thread-answer-rules.ts';
import { listTurns, readTurnNumbers } from './thread-store.ts';
import { openScope, readConversation } from './thread-work.ts';

type TurnHandlers = Pick<Handlers<typeof observability>, 'listThreadTraces' | 'readThreadMessages'>;

export function turnHandlers(reader: RunReader): TurnHandlers {
  const { db } = reader;
  return {
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
