import type { WatchedHead } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { lockDeployment, noDeployment } from '../records/deployment-store.ts';
import { readDeploymentView } from '../records/deployment-view-store.ts';
import { findAssignment } from '../records/assignment-store.ts';
import { type Holder, lockHolder } from '../records/instance-store.ts';
import { boundedReason } from '../records/observation-rules.ts';
import { applyPush, notePushProblem } from './push-work.ts';

const AGAIN_S = 5;

/**
 * Records where a listener saw the watched ref of a deployment; true when that makes a revision. A report for a ref
 * that is not watched any more changes nothing. Throws `conflict` for the report of an earlier holder,
 * and `unavailable` while a revision is resolving the ref.
 */
export async function recordHead(
  tx: Transaction,
  context: Context,
  report: {
    readonly holder: Holder;
    readonly head: Omit<WatchedHead, 'fence'>;
  },
): Promise<boolean> {
  const { holder, head } = report;
  const { listener_id, deployment_id } = holder;
  const held = await lockDeployment(tx, deployment_id);
  const assignment = await findAssignment(tx, deployment_id);
  if (held === undefined || assignment?.listener_id !== listener_id || assignment.removed)
    throw noDeployment();
  await lockHolder(held.tx, holder);
  const { deployment } = held;
  const view = await readDeploymentView(tx, { workspace_id: deployment.workspace_id, id: deployment_id });
  if (view.source_config.build_on_push !== true || view.config.repo_ref !== head.ref) return false;
  const actor = `listener:${listener_id}`;
  if (head.commit_sha === null) {
    const { code, message } = boundedReason({ phase: 'source', ...(head.problem ?? refGone(head.ref)) });
    await notePushProblem(held.tx, deployment, { code, message, actor });
    return false;
  }
  const { commit_sha } = head;
  const { verdict } = await applyPush(held, context, { commit_sha, by: 'poll', before: null, actor });
  if (verdict === 'undecided')
    throw new Problem('unavailable', 'A revision is resolving the ref at the moment; report it again.', {
      retry_after_s: AGAIN_S,
    });
  return verdict === 'build';
}

/** The sentence for a ref that was deleted, or never existed. */
export const refGone = (ref: string) => ({
  code: 'ref_gone',
  message: `The remote has no ${ref} any more; the deployed revision keeps serving.`,
});
