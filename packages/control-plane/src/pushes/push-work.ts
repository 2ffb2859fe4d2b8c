import type { UnderLock, Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { type DeploymentRow, type HeldDeployment } from '../records/deployment-store.ts';
import { type DeploymentView, readDeploymentView } from '../records/deployment-view-store.ts';
import { insertEvent } from '../events/event-store.ts';
import { insertNext } from '../deployments/next-revision-work.ts';
import { readRevision, type RevisionRow } from '../records/revision-store.ts';
import { hasRevisionOf, readHead, setHead, setHeadProblem } from '../records/head-store.ts';
import { type HeadSighting, decidePush, type PushVerdict } from './push-rules.ts';

export interface PushOutcome {
  readonly verdict: PushVerdict;
  /** Set where the verdict is to build. */
  readonly revision: RevisionRow | undefined;
}

/** Applies a report of where a deployment's ref is: makes at most one revision, pinned at that commit. */
export async function applyPush(
  { tx, deployment }: HeldDeployment,
  context: Context,
  { actor, ...heard }: HeadSighting & { readonly actor: string },
): Promise<PushOutcome> {
  const { commit_sha } = heard;
  const { id: deployment_id, workspace_id } = deployment;
  const view = await readDeploymentView(tx, { workspace_id, id: deployment_id });
  const { latest, head } = await readKnown(tx, view);
  const verdict = decidePush(heard, {
    latest,
    head_sha: head.head_sha,
    has_revision: await hasRevisionOf(tx, { deployment_id, commit_sha }),
    is_hooked: head.pushed_at !== null,
  });
  if (verdict === 'known' || verdict === 'build') await setHead(tx, { deployment_id, commit_sha });
  if (verdict !== 'build') return { verdict, revision: undefined };
  const { config, source_digest } = view;
  const revision = await insertNext(tx, context, {
    view,
    config,
    source_digest,
    commit_sha,
    environment: undefined,
    trigger: { kind: 'push', actor },
  });
  return { verdict, revision };
}

async function readKnown(tx: Transaction, { id, latest_revision_id }: DeploymentView) {
  return {
    latest: await readRevision(tx, { deployment_id: id, id: latest_revision_id ?? '' }),
    head: await readHead(tx, id),
  };
}

/** Notes as an event that a ref is gone, or can't be looked at: one event for each problem. */
export async function notePushProblem(
  tx: UnderLock<'deployment'>,
  deployment: Pick<DeploymentRow, 'id' | 'workspace_id'>,
  problem: { readonly code: string; readonly message: string; readonly actor: string },
): Promise<void> {
  const { code, message, actor } = problem;
  const { head_problem } = await readHead(tx, deployment.id);
  if (head_problem?.code === code) return;
  await setHeadProblem(tx, {
    deployment_id: deployment.id,
    problem: { phase: 'source', code, message },
  });
  await insertEvent(tx, {
    workspace_id: deployment.workspace_id,
    kind: 'deployment.head_problem',
    deployment_id: deployment.id,
    actor,
    detail: { code, message },
  });
}
