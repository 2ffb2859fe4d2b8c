import type { RunQuery, runs } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, Problem } from '@roadstead/kit';
import { requireSessions } from '../session-records/session-store.ts';
import { type Cursor, writeCursor } from '../queries/cursor-rules.ts';
import { jsonAnswer, objectText, pageText } from '../reading/json-answer.ts';
import { everything, runMembers, selectionOf } from '../reading/run-answer-rules.ts';
import { leftOut, type RunPage, runSearchOf } from '../queries/run-query-rules.ts';
import { findRun, type FoundRun } from '../queries/run-query-store.ts';
import { readRecords, type RunReader } from '../reading/run-reader-work.ts';
import { searchRuns } from '../queries/run-search-work.ts';

type RunHandlers = Handlers<typeof runs>;

export function runHandlers(reader: RunReader, clock: Clock): RunHandlers {
  const { db } = reader;
  return {
    readRun: async ({ params, query, workspace_id }) => {
      const row = await findRun(db, { workspace_id, run_id: params.run_id, now_ms: clock.now() });
      if (row === undefined) throw new Problem('not_found', 'There is no such run.');
      const selection = everything({ left_out: leftOut(query), messages: query.include_messages });
      const [record] = await readRecords(reader, [row], selection);
      return jsonAnswer(objectText(record === undefined ? [] : runMembers(record, selection)));
    },
    queryRuns: async ({ body, workspace_id }) => {
      const search = runSearchOf(body);
      if (search.by.kind === 'sessions') await requireSessions(db, { workspace_id, ids: search.by.ids });
      const page = await searchRuns(reader, { workspace_id, search }, { now_ms: clock.now() });
      const selection = selectionOf(body.select);
      const records = await readRecords(reader, page.rows, selection);
      const items = records.map((record) => runMembers(record, selection));
      return jsonAnswer(
        pageText(
          { name: 'runs', items },
          {
            cursors: cursorsOf(page, body),
            search_cursors: null,
            parsed_query: search.asked.parsed_query,
          },
        ),
      );
    },
  };
}

/** A client that asks for no pages gets the first one, without cursors. */
function cursorsOf({ next, prev }: RunPage<FoundRun>, query: RunQuery) {
  const written = (cursor: Cursor | undefined) => (cursor === undefined ? null : writeCursor(cursor));
  if (query.skip_pagination === true) return { next: null, prev: null };
  return { next: written(next), prev: query.skip_prev_cursor === true ? null : written(prev) };
}
