import type { listenerGit } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import type { Context } from '../context/context.ts';
import { readSourceCredentials } from '../integrations/source-credentials-work.ts';
import { requireHolder } from '../records/instance-store.ts';
import { readGeneration } from '../records/listener-store.ts';
import { recordHead } from './head-work.ts';

type GitHandlers = Handlers<typeof listenerGit>;

/** Serves what listeners ask and report about repositories. */
export function headHandlers(context: Context): GitHandlers {
  const { db } = context;
  return {
    readSourceCredentials: async (call) => {
      const { listener_id, deployment_id } = call.params;
      await readGeneration(db, { workspace_id: call.workspace_id, id: listener_id });
      const { revision_id, fence } = call.query;
      await requireHolder(db, { listener_id, deployment_id, fence });
      return {
        credentials: await readSourceCredentials(context, { listener_id, deployment_id, revision_id }),
      };
    },
    reportHead: async (call) => {
      const { listener_id, deployment_id } = call.params;
      await readGeneration(db, { workspace_id: call.workspace_id, id: listener_id });
      const { fence, ...head } = call.body;
      const holder = { listener_id, deployment_id, fence };
      const started = await db.transaction((tx) => recordHead(tx, context, { holder, head }));
      if (started) context.wake(deployment_id);
    },
  };
}
