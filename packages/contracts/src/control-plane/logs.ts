import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { queryInt, Timestamp, Uuid } from '../query-values.ts';
import { mounts } from './deployments.ts';
import { WellFormedText } from '../well-formed-text.ts';

/** In order of weight. */
export const LogLevel = z.enum(['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL']);
export type LogLevel = z.output<typeof LogLevel>;

export const LogLine = z
  .object({ id: WellFormedText, timestamp: Timestamp, level: WellFormedText, message: WellFormedText })
  .meta({ id: 'LogLine' });

const MAX_LINES = 1000;
const DEFAULT_LINES = 50;
const filters = {
  order: z.enum(['asc', 'desc']),
  /** Lines of this level and of graver ones. */
  level: LogLevel,
  /** Lines with this text in them, in capitals or not. */
  query: WellFormedText.max(500),
  /** From then on. */
  start_time: Timestamp,
  /** Until before then. */
  end_time: Timestamp,
  /** Opaque; what the last answer gave as `next_offset`. */
  offset: WellFormedText,
};
const LogQuery = z.object({
  ...z.object(filters).partial().shape,
  type: z.enum(['build', 'deploy']).default('deploy'),
  limit: queryInt({ min: 1, max: MAX_LINES, fallback: DEFAULT_LINES }),
});
/** The same in a body, as the original's command line sends it; null counts as absent. */
const LogRequest = z.object({
  order: filters.order.nullish(),
  level: filters.level.nullish(),
  query: filters.query.nullish(),
  start_time: filters.start_time.nullish(),
  end_time: filters.end_time.nullish(),
  offset: filters.offset.nullish(),
  limit: z.number().int().min(1).max(MAX_LINES).default(DEFAULT_LINES),
});
/** With a filter a page may have few lines or none, and more come after it: only without `next_offset` it is the last. */
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
    summary: 'Build or server log of a revision',
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
    summary: 'Build or server logs of all revisions of a deployment',
    access: 'deployments:read',
    mounts,
    params,
    query: LogQuery,
    success: { status: 200, body: LogPage },
    example: { query: { type: 'build', level: 'WARNING', limit: '100' } },
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
