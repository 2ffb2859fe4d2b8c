import type { listeners } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import type { Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { noDeployment } from '../records/deployment-store.ts';
import { appendLogs } from '../logs/log-store.ts';
import { readRevision } from '../records/revision-store.ts';
import { pollAssignments } from './assignment-poll.ts';
import { findAssignment } from '../records/assignment-store.ts';
import { readEnvironment } from './environment-answer.ts';
import { lockLease, listListeners, readLease, readListener, staleFence } from '../records/listener-store.ts';
import { recordObservation } from './observation-work.ts';
import { changeListener, createListener, removeListener, rotateKey } from './own-listener-work.ts';

type ListenerHandlers = Handlers<typeof listeners>;

interface ListenerCall {
  readonly params: { readonly listener_id: string };
  readonly workspace_id: string;
}

const idOf = ({ params, workspace_id }: ListenerCall) => ({ workspace_id, id: params.listener_id });

export function listenerHandlers(context: Context): ListenerHandlers {
  const { db } = context;
  return {
    listListeners: async (call) => {
      const resources = await listListeners(db, call.workspace_id, call.query);
      return { resources, offset: call.query.offset + resources.length };
    },
    readListener: async (call) => readListener(db, idOf(call)),
    createListener: async ({ workspace_id, principal, body }) =>
      createListener(context, { ...body, workspace_id, version: body.version ?? null }, principal),
    patchListener: async (call) => {
      const { actor } = call.principal;
      return changeListener(context, idOf(call), { actor, patch: call.body });
    },
    deleteListener: async (call) => removeListener(context, idOf(call), call.principal),
    rotateListenerKey: async (call) => rotateKey(context, idOf(call), call.principal),
    readAssignments: async ({ params, query, workspace_id, signal }) => {
      const { listener_id } = params;
      return pollAssignments(context, { ...query, listener_id, workspace_id }, signal);
    },
    observe: async (call) => {
      const lease = await readLease(db, idOf(call));
      const { deployment_id } = call.params;
      const report = { lease, deployment_id, observation: call.body, actor: call.principal.actor };
      const generation = await db.transaction((tx) => recordObservation(tx, report));
      context.wake(deployment_id);
      return { generation };
    },
    readEnvironment: async (call) => {
      const lease = await readLease(db, idOf(call));
      if (lease.fence !== call.query.fence || !lease.is_held) throw staleFence();
      return readEnvironment(context, {
        listener_id: lease.listener_id,
        deployment_id: call.params.deployment_id,
        revision_id: call.query.revision_id,
      });
    },
    appendLogs: async (call) => {
      const lease = await readLease(db, idOf(call));
      const { deployment_id } = call.params;
      const assignment = await findAssignment(db, deployment_id);
      if (assignment?.listener_id !== lease.listener_id) throw noDeployment();
      await readRevision(db, { deployment_id, id: call.body.revision_id });
      const { fence, ...chunk } = call.body;
      const check = (tx: Transaction) => lockLease(tx, { ...lease, fence }).then(() => undefined);
      await appendLogs(db, { deployment_id, ...chunk, check });
      context.logs.wake();
    },
  };
}
