import type { controlPlane } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/kit';
import type { Context } from '../context.ts';
import { readDeploymentView } from '../deployments/deployment-view-store.ts';
import { readRevision } from '../revisions/revision-store.ts';
import { type LogPageQuery, readLogPage } from './log-page.ts';
import type { ChunkOf } from './log-store.ts';

type LogHandlers = Pick<
  Handlers<typeof controlPlane>,
  'readRevisionLogs' | 'readDeploymentLogs' | 'readBuildLogs' | 'readDeployLogs' | 'readProjectLogs'
>;

interface Asked {
  readonly workspace_id: string;
  readonly of: ChunkOf;
  readonly query: LogPageQuery;
}

export function logHandlers({ db }: Context): LogHandlers {
  /** Throws `not_found` outside the workspace, and for a revision that the deployment has not. */
  const read = async ({ workspace_id, of, query }: Asked) => {
    await readDeploymentView(db, { workspace_id, id: of.deployment_id });
    if (of.revision_id !== undefined)
      await readRevision(db, { deployment_id: of.deployment_id, id: of.revision_id });
    return readLogPage(db, of, query);
  };
  return {
    readRevisionLogs: ({ workspace_id, params, query: { type, ...query } }) =>
      read({ workspace_id, of: { ...params, kind: kindOf(type) }, query }),
    readDeploymentLogs: ({ workspace_id, params, query: { type, ...query } }) =>
      read({ workspace_id, of: { ...params, revision_id: undefined, kind: kindOf(type) }, query }),
    readBuildLogs: ({ workspace_id, params: { project_id, revision_id }, body }) =>
      read({
        workspace_id,
        of: { deployment_id: project_id, revision_id, kind: 'build' },
        query: withoutNulls(body),
      }),
    readDeployLogs: ({ workspace_id, params: { project_id, revision_id }, body }) =>
      read({
        workspace_id,
        of: { deployment_id: project_id, revision_id, kind: 'server' },
        query: withoutNulls(body),
      }),
    readProjectLogs: ({ workspace_id, params: { project_id }, body }) =>
      read({
        workspace_id,
        of: { deployment_id: project_id, revision_id: undefined, kind: 'server' },
        query: withoutNulls(body),
      }),
  };
}

const kindOf = (type: 'build' | 'deploy') => (type === 'build' ? 'build' : 'server');

function withoutNulls<T extends object>(body: T): { [K in keyof T]: Exclude<T[K], null> } {
  const given = Object.entries(body).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], null> };
}
