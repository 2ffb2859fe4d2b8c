import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryFlag, queryInt, Timestamp, Uuid } from '../values/query-values.ts';
import { mounts } from './deployments.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

/** The log levels, in order of severity. */
export const LogLevel = z.enum(['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL']);
export type LogLevel = z.output<typeof LogLevel>;

export const LogLine = z
  .object({ id: WellFormedText, timestamp: Timestamp, level: WellFormedText, message: WellFormedText })
  .meta({ id: 'LogLine' });

const MAX_LINES = 1000;
const DEFAULT_LINES = 50;
const filters = {
  order: z.enum(['asc', 'desc']),
  /** The least level: lines of it and of severer ones. */
  level: LogLevel,
  /** Lines that contain this text, in any case. */
  query: WellFormedText.max(500),
  /** The earliest time of lines. */
  start_time: Timestamp,
  /** The time before which lines end. */
  end_time: Timestamp,
  /** An opaque value: the `next_offset` of the last answer. */
  offset: WellFormedText,
};
/**
 * Whether to send server-sent events, each with the id and the JSON of a line, until the client goes; the same as
 * `Accept: text/event-stream`.
 */
const follow = queryFlag.optional();
const LogQuery = z.object({
  ...z.object(filters).partial().shape,
  type: z.enum(['build', 'deploy']).default('deploy'),
  follow,
  limit: queryInt({ min: 1, max: MAX_LINES, fallback: DEFAULT_LINES }),
});
/** The same in a body, as the original's command line sends it; null means absent. */
const LogRequest = z.object({
  order: filters.order.nullish(),
  level: filters.level.nullish(),
  query: filters.query.nullish(),
  start_time: filters.start_time.nullish(),
  end_time: filters.end_time.nullish(),
  offset: filters.offset.nullish(),
  /** Refused: lines name no run. */
  run_id: WellFormedText.nullish(),
  limit: z.number().int().min(1).max(MAX_LINES).default(DEFAULT_LINES),
});
/** With a filter a page may have few lines or none although more follow: only without `next_offset` is it the last. */
const LogPage = z.object({ logs: z.array(LogLine), next_offset: WellFormedText.nullable() });

const params = z.object({ deployment_id: Uuid });
const revisionParams = params.extend({ revision_id: Uuid });
/** The older addresses call a deployment a project. */
const projectParams = z.object({ project_id: Uuid });
const projectRevisionParams = projectParams.extend({ revision_id: Uuid });

export const logs = {
  readRevisionLogs: endpoint({
    method: 'GET',
    path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/logs',
    summary:
      'Build or server log of a revision; followed from `Last-Event-ID`, `offset` or the last lines on',
    access: 'deployments:read',
    mounts,
    params: revisionParams,
    query: LogQuery,
    success: { status: 200, body: LogPage },
    example: { query: { type: 'build', level: 'WARNING', limit: '100' } },
  }),
  readDeploymentLogs: endpoint({
    method: 'GET',
    path: '/v2/deployments/{deployment_id}/logs',
    summary: 'Build or server logs of all revisions of a deployment; followed as those of a revision are',
    access: 'deployments:read',
    mounts,
    params,
    query: LogQuery,
    success: { status: 200, body: LogPage },
    example: { query: { type: 'build', level: 'WARNING', limit: '100' } },
  }),
  queryDeploymentLogs: endpoint({
    method: 'GET',
    path: '/v2/deployment-logs',
    summary: 'Build or server log of a deployment, or of one of its revisions, in pages with a cursor',
    access: 'deployments:read',
    mounts,
    errors: [404],
    query: z.object({
      deployment_id: Uuid,
      revision_id: Uuid.optional(),
      log_type: z.enum(['BUILD', 'DEPLOY']).default('DEPLOY'),
      sort_order: filters.order.default('asc'),
      page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
      cursor: filters.offset.optional(),
      level: filters.level.optional(),
      query: filters.query.optional(),
      start_time: filters.start_time.optional(),
      end_time: filters.end_time.optional(),
      follow,
    }),
    success: {
      status: 200,
      body: z.object({ items: z.array(LogLine), next_cursor: WellFormedText.nullable() }),
    },
    example: {
      query: { deployment_id: '0199d3a0-0000-7000-8000-0000000000de', log_type: 'BUILD', page_size: '50' },
    },
  }),
  readBuildLogs: endpoint({
    method: 'POST',
    path: '/v1/projects/{project_id}/revisions/{revision_id}/build_logs',
    summary: 'Build log of a revision, as the original’s command line asks for it',
    access: 'deployments:read',
    mounts,
    params: projectRevisionParams,
    body: LogRequest,
    success: { status: 200, body: LogPage },
    example: { body: { order: 'desc', limit: 100 } },
  }),
  readDeployLogs: endpoint({
    method: 'POST',
    path: '/v1/projects/{project_id}/revisions/{revision_id}/deploy_logs',
    summary: 'Server log of a revision, as the original’s command line asks for it',
    access: 'deployments:read',
    mounts,
    params: projectRevisionParams,
    body: LogRequest,
    success: { status: 200, body: LogPage },
    example: { body: { order: 'desc', limit: 100 } },
  }),
  readProjectLogs: endpoint({
    method: 'POST',
    path: '/v1/projects/{project_id}/deploy_logs',
    summary: 'Server log of a deployment, as the original’s command line asks for it',
    access: 'deployments:read',
    mounts,
    params: projectParams,
    body: LogRequest,
    success: { status: 200, body: LogPage },
    example: { body: { order: 'desc', limit: 100 } },
  }),
};
