import type { RevisionStatus, StatusReason } from '@roadstead/contracts/control-plane';
import { again, type PassResult, settled } from '@roadstead/kit';
import type { UnderLock, Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { insertEvent, SERVICE_ACTOR } from '../events/event-store.ts';
import { desireActive, desireRemoval, desireRevision } from '../listeners/desired-work.ts';
import { advanceRevision, type RevisionRow } from '../records/revision-store.ts';
import { deleteProject, makeKey, makeProject, revokeKeys } from './dependency-actions.ts';
import { type Facts, findFacts, type Pass } from './deployment-facts-work.ts';
import { planAction, type Action } from './deployment-plan.ts';
import {
  advanceDeployment,
  eraseDeployment,
  lockDeployment,
  putIntoBin,
} from '../records/deployment-store.ts';

const NEXT = again(0);

/** Takes the one planned action; another one may follow. */
export async function takeAction(context: Context, action: Action, pass: Pass): Promise<PassResult> {
  switch (action.kind) {
    case 'wait':
      return settled;
    case 'make_project':
      return makeProject(context, pass, { revision_id: action.revision.id });
    case 'make_key':
      return makeKey(context, pass);
    case 'revoke_keys':
      return revokeKeys(context, pass);
    case 'delete_project':
      return deleteProject(context, pass);
    case 'skip':
    case 'queue':
    case 'assign':
    case 'resume':
    case 'finish_removal':
    case 'purge':
    case 'erase':
      await context.db.transaction((tx) =>
        recordAction(tx, context, { planned: action, id: pass.facts.deployment.id }),
      );
      context.notifier.notify(pass.facts.assignment.listener_id);
      return NEXT;
  }
}

type RecordedAction = Exclude<
  Action,
  { kind: 'wait' | 'make_project' | 'make_key' | 'revoke_keys' | 'delete_project' }
>;

/**
 * An action that only changes the record is planned again under the deployment's lock: a caller may have been faster.
 */
async function recordAction(
  transaction: Transaction,
  context: Context,
  { planned, id }: { readonly planned: RecordedAction; readonly id: string },
): Promise<void> {
  const held = await lockDeployment(transaction, id);
  const facts = await findFacts(transaction, id);
  if (held === undefined || facts === undefined) return;
  const { tx } = held;
  const action = planAction(facts.state);
  if (action.kind !== planned.kind) return;
  const { deployment, assignment } = facts;
  const { workspace_id } = deployment;
  switch (action.kind) {
    case 'skip':
      await advanceRevision(tx, {
        workspace_id,
        revision: rowOf(facts, action.revision.id),
        to: 'SKIPPED',
        actor: SERVICE_ACTOR,
        reason: superseded(action.revision.status, action.by.number),
        superseded_by: action.by.id,
      });
      return;
    case 'queue':
      await queue(tx, facts, action);
      return;
    case 'assign':
      await desireRevision(tx, {
        workspace_id,
        repository: deployment.repository,
        assignment,
        revision: rowOf(facts, action.revision.id),
        blobs: context.blobs,
      });
      return;
    case 'resume':
      await desireActive(tx, assignment, deployment);
      return;
    case 'finish_removal':
      await putIntoBin(tx, { id, bin_days: context.bin_days });
      await advanceDeployment(tx, { deployment, to: 'DELETED', actor: SERVICE_ACTOR });
      return;
    case 'purge':
      await desireRemoval(tx, assignment, { purge: true });
      return;
    case 'erase':
      await eraseDeployment(tx, id);
      await insertEvent(tx, {
        workspace_id,
        kind: 'deployment.erased',
        deployment_id: id,
        actor: SERVICE_ACTOR,
        detail: { name: deployment.name },
      });
      return;
  }
}

async function queue(
  tx: UnderLock<'deployment'>,
  facts: Facts,
  action: Extract<Action, { kind: 'queue' }>,
): Promise<void> {
  const reason: StatusReason = {
    phase: 'queue',
    code: 'behind_revision',
    message: `Waits until revision ${action.behind.number} has ended.`,
  };
  await advanceRevision(tx, {
    workspace_id: facts.deployment.workspace_id,
    revision: rowOf(facts, action.revision.id),
    to: 'QUEUED',
    actor: SERVICE_ACTOR,
    reason,
  });
}

function superseded(status: RevisionStatus, by: number): StatusReason {
  const isBuilding = status === 'BUILDING';
  return {
    phase: isBuilding ? 'build' : 'queue',
    code: 'superseded',
    message: `Revision ${by} took its place ${isBuilding ? 'while it was built' : 'before it was begun'}.`,
  };
}

function rowOf(facts: Facts, id: string): RevisionRow {
  const row = facts.revisions.find((revision) => revision.id === id);
  if (row === undefined) throw new Error(`Revision ${id} is planned and not there.`);
  return row;
}
