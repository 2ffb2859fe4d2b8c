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
import { lockHolder, requireHolder } from '../records/instance-store.ts';
import { listListeners, readGeneration, readListener } from '../records/listener-store.ts';
import { recordHandover } from './handover-work.ts';
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
      const { instance = '', instance_state: state, ...poll } = query;
      const [is_draining, has_left] = [state !== 'serving', state === 'left'];
      return pollAssignments(
        context,
        { ...poll, ...params, workspace_id, instance, is_draining, has_left },
        signal,
      );
    },
    handOver: async (call) => {
      await readGeneration(db, idOf(call));
      await db.transaction((tx) => recordHandover(tx, { ...call.params, ...call.body }));
      context.notifier.notify(call.params.listener_id);
    },
    observe: async (call) => {
      await readGeneration(db, idOf(call));
      const report = { ...call.params, observation: call.body, actor: call.principal.actor };
      const generation = await db.transaction((tx) => recordObservation(tx, report));
      context.wake(report.deployment_id);
      return { generation };
    },
    readEnvironment: async (call) => {
      await readGeneration(db, idOf(call));
      await requireHolder(db, { ...call.params, fence: call.query.fence });
      return readEnvironment(context, { ...call.params, revision_id: call.query.revision_id });
    },
    appendLogs: async (call) => {
      await readGeneration(db, idOf(call));
      const { listener_id, deployment_id } = call.params;
      const assignment = await findAssignment(db, deployment_id);
      if (assignment?.listener_id !== listener_id) throw noDeployment();
      await readRevision(db, { deployment_id, id: call.body.revision_id });
      const { fence, ...chunk } = call.body;
      const check = (tx: Transaction) =>
        lockHolder(tx, { listener_id, deployment_id, fence }).then(() => undefined);
      await appendLogs(db, { deployment_id, ...chunk, check });
      context.logs.wake();
    },
  };
}
