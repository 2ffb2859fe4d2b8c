import type { runsV2 } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, Problem } from '@roadstead/kit';
import { requireSessions } from '../session-records/session-store.ts';
import { writeCursor } from '../queries/cursor-rules.ts';
import { jsonAnswer, type Members, objectText } from '../reading/json-answer.ts';
import { queryAnswer } from '../reading/query-answer.ts';
import { traceRunsAnswer } from '../reading/trace-runs-answer.ts';
import { pathOf } from '../reading/run-answer-rules.ts';
import {
  runV2Members,
  selectionV2Of,
  type LinkOptions,
  traceMembers,
} from '../reading/run-answer-v2-rules.ts';
import type { RunSearch } from '../queries/run-query-rules.ts';
import { type FoundRun, findRun } from '../queries/run-query-store.ts';
import {
  requireOnePlace,
  runSearchV2Of,
  traceRunsSearchOf,
  traceSearchOf,
} from '../queries/run-query-v2-rules.ts';
import { readRecords, type RunReader } from '../reading/run-reader-work.ts';
import { searchRuns } from '../queries/run-search-work.ts';
import type { RunRecord, RecordSelection } from '../reading/run-record.ts';
import { listExperimentIds } from '../reading/run-related-store.ts';

type RunV2Handlers = Handlers<typeof runsV2>;

/** A run as a caller names it, and the caller's workspace. */
interface RunReference {
  readonly workspace_id: string;
  readonly id: string;
  readonly project_id: string | undefined;
}

export function runV2Handlers(reader: RunReader, clock: Clock, links: LinkOptions): RunV2Handlers {
  const { db } = reader;
  const readRow = async (named: RunReference): Promise<FoundRun> => {
    const { workspace_id, id, project_id } = named;
    const row = await findRun(db, { workspace_id, run_id: id, now_ms: clock.now() });
    if (row === undefined || (project_id ?? row.session_id).toLowerCase() !== row.session_id)
      throw new Problem('not_found', 'There is no such run in this project.');
    return row;
  };
  const pages = pagesOf(reader, clock);
  return {
    queryRunsV2: async ({ body, workspace_id, request }) => {
      requireOnePlace(body);
      const { project_ids, reference_dataset_id: dataset_id } = body;
      const session_ids =
        dataset_id == null ? (project_ids ?? []) : await listExperimentIds(db, { workspace_id, dataset_id });
      if (session_ids.length === 0) return queryAnswer(request, { items: [], next_cursor: null });
      await requireSessions(db, { workspace_id, ids: session_ids });
      const search = runSearchV2Of(body, { session_ids, now_ms: clock.now() });
      const wanted = selectionV2Of(body.selects);
      const toMembers = (record: RunRecord) => runV2Members(record, wanted, links);
      return queryAnswer(request, await pages(workspace_id, search, { wanted, toMembers }));
    },
    queryTraces: async ({ body, workspace_id, request }) => {
      const session_ids = [body.project_id];
      await requireSessions(db, { workspace_id, ids: session_ids });
      const search = traceSearchOf(body, { session_ids, now_ms: clock.now() });
      const wanted = selectionV2Of(body.selects);
      const toMembers = (record: RunRecord) => traceMembers(record, wanted, links);
      return queryAnswer(request, await pages(workspace_id, search, { wanted, toMembers }));
    },
    readRunV2: async ({ params, query, workspace_id }) => {
      const row = await readRow({ workspace_id, id: params.run_id, project_id: query.project_id });
      const wanted = selectionV2Of(query.selects);
      const [record] = await readRecords(reader, [row], wanted);
      return jsonAnswer(objectText(record === undefined ? [] : runV2Members(record, wanted, links)));
    },
    readRunUrl: async ({ params, query, workspace_id }) => {
      const row = await readRow({ workspace_id, id: params.run_id, project_id: query.project_id });
      return { url: links.public_url + pathOf({ row }) };
    },
    listTraceRuns: async ({ params, query, workspace_id }) => {
      const named = { workspace_id, id: params.trace_id, project_id: query.project_id };
      const { trace_id } = await readRow(named);
      const of = { workspace_id, search: traceRunsSearchOf(trace_id, query) };
      return traceRunsAnswer(reader, of, { wanted: selectionV2Of(query.selects), links });
    },
  };
}

interface AnsweredPage {
  readonly items: readonly Members[];
  readonly next_cursor: string | null;
}

function pagesOf(reader: RunReader, clock: Clock) {
  return async (
    workspace_id: string,
    search: RunSearch,
    {
      wanted,
      toMembers,
    }: { readonly wanted: RecordSelection; readonly toMembers: (record: RunRecord) => Members },
  ): Promise<AnsweredPage> => {
    const page = await searchRuns(reader, { workspace_id, search }, { now_ms: clock.now() });
    const items = (await readRecords(reader, page.rows, wanted)).map(toMembers);
    return { items, next_cursor: page.next === undefined ? null : writeCursor(page.next) };
  };
}
