import { planned } from '../endpoint.ts';
import { otlp, v1, v2 } from './mounts.ts';

/** Runs of the LangSmith API that aren't built yet: each answers 501 with a sentence. */
export const plannedRuns = {
  postRunsDelete: planned('POST', '/runs/delete', 'Run runs delete', v1),
  postRunsDeleteTraces: planned('POST', '/runs/delete/traces', 'Run runs delete traces', v1),
  postRunsGroup: planned('POST', '/runs/group', 'Run runs group', v1),
  postRunsGroupStats: planned('POST', '/runs/group/stats', 'Run runs group stats', v1),
  postRunsQueryValidate: planned('POST', '/runs/query/validate', 'Run runs query validate', v1),
  postRunsStats: planned('POST', '/runs/stats', 'Run runs stats', v1),
  getRunsThreadsByThreadId: planned('GET', '/runs/threads/{thread_id}', 'Read runs threads', v1),
  getRunsByRunIdShare: planned('GET', '/runs/{run_id}/share', 'Read runs share', v1),
  putRunsByRunIdShare: planned('PUT', '/runs/{run_id}/share', 'Set runs share', v1),
  deleteRunsByRunIdShare: planned('DELETE', '/runs/{run_id}/share', 'Remove runs share', v1),
  postV2RunsQuery: planned('POST', '/v2/runs/query', 'Run runs query', v2),
  getV2RunsByRunId: planned('GET', '/v2/runs/{run_id}', 'Read runs', v2),
  postV2ThreadsQuery: planned('POST', '/v2/threads/query', 'Run threads query', v2),
  getV2TracesByTraceIdRuns: planned('GET', '/v2/traces/{trace_id}/runs', 'Read traces runs', v2),
  deleteSessions: planned('DELETE', '/sessions', 'Remove sessions', v1),
  getSessionsBySessionIdMetadata: planned(
    'GET',
    '/sessions/{session_id}/metadata',
    'Read sessions metadata',
    v1,
  ),
  getPublicByShareTokenFeedbacks: planned('GET', '/public/{share_token}/feedbacks', 'Read public feedbacks', {
    ...v1,
    auth: 'token',
  }),
  getPublicByShareTokenRun: planned('GET', '/public/{share_token}/run', 'Read public run', {
    ...v1,
    auth: 'token',
  }),
  getPublicByShareTokenRunById: planned('GET', '/public/{share_token}/run/{id}', 'Read public run', {
    ...v1,
    auth: 'token',
  }),
  postPublicByShareTokenRunsQuery: planned(
    'POST',
    '/public/{share_token}/runs/query',
    'Run public runs query',
    { ...v1, auth: 'token' },
  ),
  deleteV2RunsByTraceIdShare: planned('DELETE', '/v2/runs/{trace_id}/share', 'Remove runs share', v2),
  postV2RunsByRunIdShare: planned('POST', '/v2/runs/{run_id}/share', 'Create or run runs share', v2),
  getV2RunsByRunIdUrl: planned('GET', '/v2/runs/{run_id}/url', 'Read runs url', v2),
  postV2TracesQuery: planned('POST', '/v2/traces/query', 'Run traces query', v2),
  getV2ThreadsByThreadIdStats: planned('GET', '/v2/threads/{thread_id}/stats', 'Read threads stats', v2),
  getV2PublicByShareTokenRunByRunId: planned(
    'GET',
    '/v2/public/{share_token}/run/{run_id}',
    'Read public run',
    { ...v2, auth: 'token' },
  ),
  postV2PublicByShareTokenRunsQuery: planned(
    'POST',
    '/v2/public/{share_token}/runs/query',
    'Run public runs query',
    { ...v2, auth: 'token' },
  ),
  postV1Traces: planned('POST', '/v1/traces', 'Run traces', { ...otlp, needs: 'traces:write' }),
};
