import type { listenerGit } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import type { Context } from '../context/context.ts';
import { readSourceCredentials } from '../integrations/source-credentials-work.ts';
import { readLease, staleFence } from '../records/listener-store.ts';
import { recordHead } from './head-work.ts';

type GitHandlers = Handlers<typeof listenerGit>;

/** Serves what listeners ask and report about repositories. */
export function headHandlers(context: Context): GitHandlers {
  const { db } = context;
  return {
    readSourceCredentials: async (call) => {
      const { listener_id: id, deployment_id } = call.params;
      const lease = await readLease(db, { workspace_id: call.workspace_id, id });
      if (lease.fence !== call.query.fence || !lease.is_held) throw staleFence();
      const { revision_id } = call.query;
      const { listener_id } = lease;
      return {
        credentials: await readSourceCredentials(context, { listener_id, deployment_id, revision_id }),
      };
    },
    reportHead: async (call) => {
      const { listener_id: id, deployment_id } = call.params;
      const lease = await readLease(db, { workspace_id: call.workspace_id, id });
      const { fence, ...head } = call.body;
      const started = await db.transaction((tx) =>
        recordHead(tx, context, { lease: { ...lease, fence }, deployment_id, head }),
      );
      if (started) context.wake(deployment_id);
    },
  };
}
