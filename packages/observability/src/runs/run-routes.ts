import type { observability } from '@roadstead/contracts/observability';
import { type Clock, type Handlers, Problem } from '@roadstead/kit';
import { requireSessions } from '../sessions/session-store.ts';
import { writeCursor } from './cursor-rules.ts';
import { jsonAnswer, objectText, pageText } from './json-answer.ts';
import { everything, runMembers, selectionOf } from './run-answer-rules.ts';
import { leftOut, runSearchOf } from './run-query-rules.ts';
import { findRun, searchRuns } from './run-query-store.ts';
import { readRecords, type RunReader } from './run-reader-work.ts';

type RunHandlers = Pick<Handlers<typeof observability>, 'queryRuns' | 'readRun'>;

export function runHandlers(reader: RunReader, clock: Clock): RunHandlers {
  const { db } = reader;
  return {
    readRun: async ({ params, query, workspace_id }) => {
      const row = await findRun(db, { workspace_id, run_id: params.run_id, now_ms: clock.now() });
      if (row === undefined) throw new Problem('not_found', 'There is no such run.');
      const selection = everything(leftOut(query));
      const [record] = await readRecords(reader, [row], selection);
      return jsonAnswer(objectText(record === undefined ? [] : runMembers(record, selection)));
    },
    queryRuns: async ({ body, workspace_id }) => {
      const search = runSearchOf(body);
      if (search.by.kind === 'sessions') await requireSessions(db, { workspace_id, ids: search.by.ids });
      const found = await searchRuns(db, search, { workspace_id, now_ms: clock.now() });
      const page = found.slice(0, search.limit);
      const last = found.length > search.limit ? page.at(-1) : undefined;
      const selection = selectionOf(body.select);
      const records = await readRecords(reader, page, selection);
      const items = records.map((record) => runMembers(record, selection));
      const next = last === undefined ? null : writeCursor(last);
      return jsonAnswer(
        pageText({ name: 'runs', items }, { cursors: { next, prev: null }, parsed_query: null }),
      );
    },
  };
}
