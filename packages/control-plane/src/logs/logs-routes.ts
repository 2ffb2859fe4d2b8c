import type { LogLevel, logs } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { readDeploymentView } from '../records/deployment-view-store.ts';
import { asksForStream, streamAnswer } from '../events/event-stream-answer.ts';
import { readRevision } from '../records/revision-store.ts';
import { followLog, lastLineOf } from './log-follow.ts';
import { type LogPageQuery, readLogPage } from './log-page.ts';
import type { ChunkOf } from './log-store.ts';

type LogHandlers = Handlers<typeof logs>;

interface LogRequest {
  readonly workspace_id: string;
  readonly of: ChunkOf;
  readonly query: LogPageQuery;
}

/** The query of the older addresses, which take it as a body. */
interface SentQuery {
  readonly limit: number;
  readonly run_id?: string | null | undefined;
  readonly offset?: string | null | undefined;
  readonly order?: 'asc' | 'desc' | null | undefined;
  readonly level?: LogLevel | null | undefined;
  readonly query?: string | null | undefined;
  readonly start_time?: string | null | undefined;
  readonly end_time?: string | null | undefined;
}

export function logHandlers(context: Context): LogHandlers {
  const { db, logs: watch } = context;
  /** Throws `not_found` outside the workspace, and for a revision that the deployment does not have. */
  const check = async ({ workspace_id, of }: Pick<LogRequest, 'workspace_id' | 'of'>) => {
    await readDeploymentView(db, { workspace_id, id: of.deployment_id });
    if (of.revision_id !== undefined)
      await readRevision(db, { deployment_id: of.deployment_id, id: of.revision_id });
  };
  const read = async ({ query, ...asked }: LogRequest) => {
    await check(asked);
    return readLogPage(db, asked.of, query);
  };
  /** A page, or the growing log where the caller asks for a stream. */
  const readOrFollow = async (
    request: Request,
    { query, follow, ...asked }: LogRequest & { readonly follow: boolean | undefined },
  ) => {
    if (follow !== true && !asksForStream(request)) return read({ ...asked, query });
    const { order, offset, ...filter } = query;
    if (order === 'desc') throw new Problem('invalid', 'A log can only be followed forwards.');
    const after = lastLineOf(request.headers, offset);
    await check(asked);
    return streamAnswer(context, (signal) =>
      followLog({ db, watch, signal }, asked.of, { ...filter, after }),
    );
  };
  const ofProject = async (workspace_id: string, of: ChunkOf, { run_id, ...query }: SentQuery) => {
    if (run_id !== undefined && run_id !== null)
      throw new Problem('invalid', 'run_id cannot be applied: lines of a log name no run here.');
    return read({ workspace_id, of, query: withoutNulls(query) });
  };
  return {
    readRevisionLogs: ({ workspace_id, params, request, query: { type, follow, ...query } }) =>
      readOrFollow(request, { workspace_id, of: { ...params, kind: kindOf(type) }, query, follow }),
    readDeploymentLogs: ({ workspace_id, params, request, query: { type, follow, ...query } }) => {
      const of = { ...params, revision_id: undefined, kind: kindOf(type) } as const;
      return readOrFollow(request, { workspace_id, of, query, follow });
    },
    queryDeploymentLogs: async ({ workspace_id, request, query: sent }) => {
      const { deployment_id, revision_id, log_type, sort_order, page_size, cursor, follow, ...filter } = sent;
      const of = { deployment_id, revision_id, kind: log_type === 'BUILD' ? 'build' : 'server' } as const;
      const query = { ...filter, order: sort_order, limit: page_size, offset: cursor };
      const answer = await readOrFollow(request, { workspace_id, of, query, follow });
      return answer instanceof Response ? answer : { items: answer.logs, next_cursor: answer.next_offset };
    },
    readBuildLogs: ({ workspace_id, params: { project_id, revision_id }, body }) =>
      ofProject(workspace_id, { deployment_id: project_id, revision_id, kind: 'build' }, body),
    readDeployLogs: ({ workspace_id, params: { project_id, revision_id }, body }) =>
      ofProject(workspace_id, { deployment_id: project_id, revision_id, kind: 'server' }, body),
    readProjectLogs: ({ workspace_id, params: { project_id }, body }) =>
      ofProject(workspace_id, { deployment_id: project_id, revision_id: undefined, kind: 'server' }, body),
  };
}

const kindOf = (type: 'build' | 'deploy') => (type === 'build' ? 'build' : 'server');

function withoutNulls<T extends object>(body: T): { [K in keyof T]: Exclude<T[K], null> } {
  const given = Object.entries(body).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], null> };
}
