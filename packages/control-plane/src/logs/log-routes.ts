import type { controlPlane } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/kit';
import type { Context } from '../context.ts';
import { readDeploymentView } from '../deployments/deployment-view-store.ts';
import { readRevision } from '../revisions/revision-store.ts';
import { readLogPage } from './log-page.ts';

type LogHandlers = Pick<Handlers<typeof controlPlane>, 'readRevisionLogs' | 'readDeploymentLogs'>;

export function logHandlers({ db }: Context): LogHandlers {
  return {
    readRevisionLogs: async (call) => {
      const { deployment_id, revision_id } = call.params;
      await readDeploymentView(db, { workspace_id: call.workspace_id, id: deployment_id });
      await readRevision(db, { deployment_id, id: revision_id });
      return readLogPage(db, call.params, call.query);
    },
    readDeploymentLogs: async (call) => {
      const { deployment_id } = call.params;
      await readDeploymentView(db, { workspace_id: call.workspace_id, id: deployment_id });
      return readLogPage(db, { deployment_id, revision_id: undefined }, call.query);
    },
  };
}
