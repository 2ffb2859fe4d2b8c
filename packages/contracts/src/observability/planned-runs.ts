import { planned } from '../endpoint.ts';
import { otlp, v1, v2 } from './mounts.ts';

/** Runs of the LangSmith API that aren't built yet: each answers 501 with a sentence. */
const admin = { ...v1, access: 'traces:admin' } as const;
const read = { ...v1, access: 'traces:read' } as const;
const readV2 = { ...v2, access: 'traces:read' } as const;
const shared = { ...v1, auth: 'token' } as const;
const adminV2 = { ...v2, access: 'traces:admin' } as const;
const sharedV2 = { ...v2, auth: 'token' } as const;
const writeOtlp = { ...otlp, access: 'traces:write' } as const;

export const plannedRuns = {
  deleteRuns: planned('POST /runs/delete', { ...admin, summary: 'Delete runs' }),
  deleteTraces: planned('POST /runs/delete/traces', { ...admin, summary: 'Delete traces' }),
  groupRuns: planned('POST /runs/group', { ...read, summary: 'Group runs by conversation' }),
  readRunGroupStats: planned('POST /runs/group/stats', {
    ...read,
    summary: 'Sum up runs that are grouped by conversation',
  }),
  validateRunQuery: planned('POST /runs/query/validate', { ...read, summary: 'Check a query of runs' }),
  readRunStats: planned('POST /runs/stats', { ...read, summary: 'Sum up the runs that a query finds' }),
  listThreadRuns: planned('GET /runs/threads/{thread_id}', { ...read, summary: 'List the runs of a thread' }),
  readRunShare: planned('GET /runs/{run_id}/share', { ...read, summary: 'Read the share link of a run' }),
  shareRun: planned('PUT /runs/{run_id}/share', { ...admin, summary: 'Share a run by link' }),
  unshareRun: planned('DELETE /runs/{run_id}/share', { ...admin, summary: 'Stop sharing a run' }),
  queryThreads: planned('POST /v2/threads/query', { ...readV2, summary: 'Query threads' }),
  deleteSessions: planned('DELETE /sessions', { ...admin, summary: 'Delete several projects' }),
  listSessionMetadata: planned('GET /sessions/{session_id}/metadata', {
    ...read,
    summary: 'List the metadata that a project’s runs have',
  }),
  listSharedRunFeedback: planned('GET /public/{share_token}/feedbacks', {
    ...shared,
    summary: 'List the feedback of a shared run',
  }),
  readSharedRun: planned('GET /public/{share_token}/run', { ...shared, summary: 'Read a shared run' }),
  readSharedChildRun: planned('GET /public/{share_token}/run/{id}', {
    ...shared,
    summary: 'Read a run below a shared one',
  }),
  querySharedRuns: planned('POST /public/{share_token}/runs/query', {
    ...shared,
    summary: 'Query the runs below a shared one',
  }),
  unshareRunV2: planned('DELETE /v2/runs/{run_id}/share', { ...adminV2, summary: 'Stop sharing a run' }),
  shareRunV2: planned('POST /v2/runs/{run_id}/share', { ...adminV2, summary: 'Share a run by link' }),
  readThreadStats: planned('GET /v2/threads/{thread_id}/stats', { ...readV2, summary: 'Sum up a thread' }),
  readSharedRunV2: planned('GET /v2/public/{share_token}/run/{run_id}', {
    ...sharedV2,
    summary: 'Read a run below a shared one',
  }),
  querySharedRunsV2: planned('POST /v2/public/{share_token}/runs/query', {
    ...sharedV2,
    summary: 'Query the runs below a shared one',
  }),
  ingestOtlpTraces: planned('POST /v1/traces', {
    ...writeOtlp,
    summary: 'Receive traces in the OpenTelemetry protocol',
  }),
};
