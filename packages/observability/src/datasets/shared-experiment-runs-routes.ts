import type { sharedExperimentRuns } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, Problem } from '@roadstead/kit';
import { statsQueryOf } from '../statistics/run-stats-rules.ts';
import { readRunStats } from '../statistics/run-stats-work.ts';
import { writeCursor } from '../queries/cursor-rules.ts';
import { jsonAnswer, objectText, pageText } from '../reading/json-answer.ts';
import { everything, runMembers, type Selection, selectionOf } from '../reading/run-answer-rules.ts';
import { leftOut, runSearchOf } from '../queries/run-query-rules.ts';
import { findRun } from '../queries/run-query-store.ts';
import { readRecords, type RunReader } from '../reading/run-reader-work.ts';
import { searchRuns } from '../queries/run-search-work.ts';
import { among, listSharedExperiments } from './shared-dataset-work.ts';

type SharedRunHandlers = Handlers<typeof sharedExperimentRuns>;

/** The runs of experiments that are shared with their dataset. */
export function sharedExperimentRunHandlers(reader: RunReader, clock: Clock): SharedRunHandlers {
  const { db, sharing } = reader;
  const under = (token: string) => ({ ...reader, addresses: reader.addresses.under(token) });
  return {
    querySharedDatasetRuns: async ({ params, body }) => {
      const experiments = await listSharedExperiments(sharing, params.share_token);
      const [first] = experiments;
      const session = among(experiments, body.session ?? []);
      if (first === undefined || session.length === 0)
        return jsonAnswer(pageText({ name: 'runs', items: [] }, { cursors: { next: null, prev: null } }));
      const { workspace_id } = first;
      const search = runSearchOf({ ...body, session, id: undefined, trace: undefined });
      const page = await searchRuns(reader, { workspace_id, search }, { now_ms: clock.now() });
      const selection = withoutOwn(selectionOf(body.select));
      const items = (await readRecords(under(params.share_token), page.rows, selection)).map((record) =>
        runMembers(record, selection),
      );
      const next = page.next === undefined ? null : writeCursor(page.next);
      return jsonAnswer(pageText({ name: 'runs', items }, { cursors: { next, prev: null } }));
    },
    readSharedDatasetRunStats: async ({ params, body }) => {
      const experiments = await listSharedExperiments(sharing, params.share_token);
      const session = among(experiments, body.session ?? []);
      const [first] = experiments;
      if (first === undefined || session.length === 0)
        throw new Problem('not_found', 'There is no such experiment shared with the dataset.');
      const asked = statsQueryOf({ ...body, session, id: undefined, trace: undefined });
      const stats = await readRunStats(reader, { workspace_id: first.workspace_id, asked });
      return asked.grouping === undefined ? (stats.get('') ?? {}) : Object.fromEntries(stats);
    },
    readSharedDatasetRun: async ({ params, query }) => {
      const experiments = await listSharedExperiments(sharing, params.share_token);
      const workspace_id = experiments[0]?.workspace_id;
      const asked = { run_id: params.run_id, now_ms: clock.now() };
      const row = workspace_id === undefined ? undefined : await findRun(db, { workspace_id, ...asked });
      if (row === undefined || !experiments.some(({ id }) => id === row.session_id))
        throw new Problem('not_found', 'There is no such run in the shared experiments.');
      const selection = withoutOwn(everything({ left_out: leftOut(query) }));
      const [record] = await readRecords(under(params.share_token), [row], selection);
      return jsonAnswer(objectText(record === undefined ? [] : runMembers(record, selection)));
    },
  };
}

/** Fields that would reveal how the workspace handles a run; shared answers omit them. */
const hidden: ReadonlySet<string> = new Set([
  'app_path',
  'last_queued_at',
  'in_dataset',
  'share_token',
  'trace_tier',
  'ttl_seconds',
]);

const withoutOwn = (selection: Selection): Selection => ({
  ...selection,
  fields: selection.fields.filter((name) => !hidden.has(name)),
});
