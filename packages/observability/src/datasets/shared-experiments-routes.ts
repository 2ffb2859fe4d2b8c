import type { sharedExperiments } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { feedbackAnswer } from '../feedback/feedback-answer-rules.ts';
import { listFeedback } from '../feedback/feedback-store.ts';
import type { RunReader } from '../reading/run-reader-work.ts';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import { listSessionsWithFacts } from '../sessions/session-list-work.ts';
import { sessionAnswer } from '../sessions/session-rules.ts';
import { among, readSharedDataset, listSharedExperiments } from './shared-dataset-work.ts';

type SharedExperimentHandlers = Handlers<typeof sharedExperiments>;

/** The experiments of a dataset that is shared by link together with them. */
export function sharedExperimentHandlers(reader: RunReader): SharedExperimentHandlers {
  const { db, digest, sharing } = reader;
  return {
    listSharedExperiments: async ({ params, query }) => {
      const dataset = await readSharedDataset(sharing, params.share_token);
      if (!dataset.experiments_shared) return [];
      const { workspace_id, id } = dataset;
      const { sort_by, sort_by_desc: descending, offset, limit, ...named } = query;
      const filter = {
        workspace_id,
        ids: named.id,
        name: named.name,
        name_contains: named.name_contains,
        reference_datasets: [id],
      };
      await digest.caughtUp(workspace_id);
      const order = { sort_by, descending, offset, limit, include_stats: true, include_facets: false };
      return (await listSessionsWithFacts(db, filter, order)).map(({ row, ...known }) =>
        sessionAnswer(row, known),
      );
    },
    listSharedExperimentsInBulk: async ({ query }) => {
      const found = await Promise.all(
        query.share_tokens.map((token) => listSharedExperiments(sharing, token)),
      );
      return found.flatMap((rows) => rows.map((row) => sessionAnswer(row)));
    },
    listSharedDatasetFeedback: async ({ params, query }) => {
      const experiments = await listSharedExperiments(sharing, params.share_token);
      const [first] = experiments;
      if (first === undefined) return [];
      const filter = {
        workspace_id: first.workspace_id,
        session_ids: among(experiments, query.session),
        run_ids: query.run,
        keys: query.key,
        source_types: query.source,
        has_comment: query.has_comment,
        has_score: query.has_score,
        level: query.level,
      };
      const rows = await inLimitedTime(db, (tx) => listFeedback(tx, filter, query));
      return rows.map((row) => feedbackAnswer({ ...row, user_id: null }));
    },
  };
}
