import type { observability } from '@roadstead/contracts/observability';
import { type Clock, type Database, type Handlers, Problem } from '@roadstead/kit';
import { requireSessions } from '../sessions/session-store.ts';
import { writeCursor } from './cursor-rules.ts';
import { jsonAnswer, objectText, pageText } from './json-answer.ts';
import { runMembers, selectedFields } from './run-answer-rules.ts';
import { runSearchOf } from './run-query-rules.ts';
import { findRun, searchRuns } from './run-query-store.ts';
import { withPayloads } from './run-reader-work.ts';

type RunHandlers = Pick<Handlers<typeof observability>, 'queryRuns' | 'readRun'>;

export function runHandlers(db: Database, clock: Clock): RunHandlers {
  return {
    readRun: async ({ params, query, workspace_id }) => {
      const row = await findRun(db, { workspace_id, run_id: params.run_id, now_ms: clock.now() });
      if (row === undefined) throw new Problem('not_found', 'There is no such run.');
      const selected = selectedFields(null);
      const kept = selected.filter((name) => name !== 'serialized' || query.exclude_serialized !== true);
      const [record] = await withPayloads(db, { rows: [row], selected: kept });
      return jsonAnswer(objectText(record === undefined ? [] : runMembers(record, selected)));
    },
    queryRuns: async ({ body, workspace_id }) => {
      const search = runSearchOf(body);
      if (search.by.kind === 'sessions') await requireSessions(db, { workspace_id, ids: search.by.ids });
      const found = await searchRuns(db, search, { workspace_id, now_ms: clock.now() });
      const page = found.slice(0, search.limit);
      const last = found.length > search.limit ? page.at(-1) : undefined;
      const selected = selectedFields(body.select);
      const records = await withPayloads(db, { rows: page, selected });
      const items = records.map((record) => runMembers(record, selected));
      const next = last === undefined ? null : writeCursor(last);
      return jsonAnswer(
        pageText({ name: 'runs', items }, { cursors: { next, prev: null }, parsed_query: null }),
      );
    },
  };
}
