import type { listenerGit } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import type { Context } from '../context/context.ts';
import { readSourceCredentials } from '../integrations/source-credentials-work.ts';
import { findLease, type Lease, noListener, staleFence } from '../records/listener-store.ts';
import { recordHead } from './head-work.ts';

type GitHandlers = Handlers<typeof listenerGit>;

/** Serves what listeners ask and report about repositories. */
export function headHandlers(context: Context): GitHandlers {
  const { db } = context;
  /** Throws `not_found` when the caller isn't this listener. */
  const readLease = async (call: {
    readonly params: { readonly listener_id: string };
    readonly workspace_id: string;
  }): Promise<Lease> => {
    const lease = await findLease(db, { workspace_id: call.workspace_id, id: call.params.listener_id });
    if (lease === undefined) throw noListener();
    return lease;
  };
  return {
    readSourceCredentials: async (call) => {
      const lease = await readLease(call);
      if (lease.fence !== call.query.fence || !lease.is_held) throw staleFence();
      const { deployment_id } = call.params;
      const { revision_id } = call.query;
      const { listener_id } = lease;
      return {
        credentials: await readSourceCredentials(context, { listener_id, deployment_id, revision_id }),
      };
    },
    reportHead: async (call) => {
      const lease = await readLease(call);
      const { deployment_id } = call.params;
      const { fence, ...head } = call.body;
      const started = await db.transaction((tx) =>
        recordHead(tx, context, { lease: { ...lease, fence }, deployment_id, head }),
      );
      if (started) context.wake(deployment_id);
    },
  };
}
