import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryFlag, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';
import { RunStats, RunStatsQuery } from '../runs/run-stats.ts';
import { Run, RunQuery } from '../runs/runs.ts';

const token = z.object({ share_token: WellFormedText });
const shared = { ...v1, auth: 'token', errors: [404] } as const;

export const sharedExperimentRuns = {
  querySharedDatasetRuns: endpoint({
    ...shared,
    method: 'POST',
    path: '/public/{share_token}/datasets/runs/query',
    summary: 'Query the runs of a shared dataset’s experiments',
    params: token,
    body: RunQuery,
    success: {
      status: 200,
      body: z.object({
        runs: z.array(Run.partial()),
        cursors: z.object({ next: z.string().nullable(), prev: z.string().nullable() }),
      }),
    },
    example: { body: { is_root: true, limit: 20 } },
  }),
  readSharedDatasetRunStats: endpoint({
    ...shared,
    method: 'POST',
    path: '/public/{share_token}/datasets/runs/stats',
    summary:
      'Sum up the runs of a shared dataset’s experiments that a query finds; with `group_by`, by group',
    params: token,
    body: RunStatsQuery,
    success: { status: 200, body: z.union([RunStats, z.record(z.string(), RunStats)]) },
    example: { body: { is_root: true } },
  }),
  readSharedDatasetRun: endpoint({
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/datasets/runs/{run_id}',
    summary: 'Read a run of a shared dataset’s experiments',
    params: token.extend({ run_id: Uuid }),
    query: z.object({ exclude_s3_stored_attributes: queryFlag.optional() }),
    success: { status: 200, body: Run.partial() },
    example: { query: { exclude_s3_stored_attributes: 'true' } },
  }),
};
