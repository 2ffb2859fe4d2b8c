import { planned } from '../endpoint.ts';
import { otlp, v1, v2 } from './mounts.ts';

/** Runs of the LangSmith API that aren't built yet: each answers 501 with a sentence. */
export const plannedRuns = {
  postRunsDelete: planned('POST', '/runs/delete', 'Delete runs', v1),
  postRunsDeleteTraces: planned('POST', '/runs/delete/traces', 'Delete traces', v1),
  postRunsGroup: planned('POST', '/runs/group', 'Group runs by conversation', v1),
  postRunsGroupStats: planned(
    'POST',
    '/runs/group/stats',
    'Sum up runs that are grouped by conversation',
    v1,
  ),
  postRunsQueryValidate: planned('POST', '/runs/query/validate', 'Check a query of runs', v1),
  postRunsStats: planned('POST', '/runs/stats', 'Sum up the runs that a query finds', v1),
  getRunsThreadsByThreadId: planned('GET', '/runs/threads/{thread_id}', 'List the runs of a thread', v1),
  getRunsByRunIdShare: planned('GET', '/runs/{run_id}/share', 'Read the share link of a run', v1),
  putRunsByRunIdShare: planned('PUT', '/runs/{run_id}/share', 'Share a run by link', v1),
  deleteRunsByRunIdShare: planned('DELETE', '/runs/{run_id}/share', 'Stop sharing a run', v1),
  postV2RunsQuery: planned('POST', '/v2/runs/query', 'Query runs', v2),
  getV2RunsByRunId: planned('GET', '/v2/runs/{run_id}', 'Read a run', v2),
  postV2ThreadsQuery: planned('POST', '/v2/threads/query', 'Query threads', v2),
  getV2TracesByTraceIdRuns: planned('GET', '/v2/traces/{trace_id}/runs', 'List the runs of a trace', v2),
  deleteSessions: planned('DELETE', '/sessions', 'Delete several projects', v1),
  getSessionsBySessionIdMetadata: planned(
    'GET',
    '/sessions/{session_id}/metadata',
    'List the metadata that a project’s runs have',
    v1,
  ),
  getPublicByShareTokenFeedbacks: planned(
    'GET',
    '/public/{share_token}/feedbacks',
    'List the feedback of a shared run',
    {
      ...v1,
      auth: 'token',
    },
  ),
  getPublicByShareTokenRun: planned('GET', '/public/{share_token}/run', 'Read a shared run', {
    ...v1,
    auth: 'token',
  }),
  getPublicByShareTokenRunById: planned(
    'GET',
    '/public/{share_token}/run/{id}',
    'Read a run below a shared one',
    {
      ...v1,
      auth: 'token',
    },
  ),
  postPublicByShareTokenRunsQuery: planned(
    'POST',
    '/public/{share_token}/runs/query',
    'Query the runs below a shared one',
    { ...v1, auth: 'token' },
  ),
  deleteV2RunsByTraceIdShare: planned('DELETE', '/v2/runs/{trace_id}/share', 'Stop sharing a trace', v2),
  postV2RunsByRunIdShare: planned('POST', '/v2/runs/{run_id}/share', 'Share a run by link', v2),
  getV2RunsByRunIdUrl: planned('GET', '/v2/runs/{run_id}/url', 'Read the address of a run’s page', v2),
  postV2TracesQuery: planned('POST', '/v2/traces/query', 'Query traces', v2),
  getV2ThreadsByThreadIdStats: planned('GET', '/v2/threads/{thread_id}/stats', 'Sum up a thread', v2),
  getV2PublicByShareTokenRunByRunId: planned(
    'GET',
    '/v2/public/{share_token}/run/{run_id}',
    'Read a run below a shared one',
    { ...v2, auth: 'token' },
  ),
  postV2PublicByShareTokenRunsQuery: planned(
    'POST',
    '/v2/public/{share_token}/runs/query',
    'Query the runs below a shared one',
    { ...v2, auth: 'token' },
  ),
  postV1Traces: planned('POST', '/v1/traces', 'Receive traces in the OpenTelemetry protocol', {
    ...otlp,
    needs: 'traces:write',
  }),
};
