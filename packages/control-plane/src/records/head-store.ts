import type { StatusReason } from '@roadstead/contracts/control-plane';
import type { UnderLock, Queryable } from '@roadstead/postgres';

/** The known head of a deployment's ref. */
export interface Head {
  readonly head_sha: string | null;
  readonly head_problem: StatusReason | null;
  /** The last webhook about its repository. */
  readonly pushed_at: string | null;
}

export async function readHead(db: Queryable, deployment_id: string): Promise<Head> {
  return db.one<Head>('select head_sha, head_problem, pushed_at from deployments where id = $1', [
    deployment_id,
  ]);
}

/** Sets the head, and clears the problem with the ref. */
export async function setHead(
  tx: UnderLock<'deployment'>,
  { deployment_id, commit_sha }: { readonly deployment_id: string; readonly commit_sha: string | null },
): Promise<void> {
  await tx.run('update deployments set head_sha = $2, head_problem = null where id = $1', [
    deployment_id,
    commit_sha,
  ]);
}

export async function setHeadProblem(
  tx: UnderLock<'deployment'>,
  { deployment_id, problem }: { readonly deployment_id: string; readonly problem: StatusReason | null },
): Promise<void> {
  await tx.run('update deployments set head_problem = $2::text::jsonb where id = $1', [
    deployment_id,
    problem === null ? null : JSON.stringify(problem),
  ]);
}

/** Whether some revision of the deployment is of this commit. */
export async function hasRevisionOf(
  db: Queryable,
  { deployment_id, commit_sha }: { readonly deployment_id: string; readonly commit_sha: string },
): Promise<boolean> {
  const row = await db.maybe(
    'select id from revisions where deployment_id = $1 and commit_sha = $2 limit 1',
    [deployment_id, commit_sha],
  );
  return row !== undefined;
}

/** Sets the commit that a revision's ref was resolved to: written once. False when it was known before. */
export async function setCommit(
  tx: UnderLock<'deployment'>,
  { revision_id, commit_sha }: { readonly revision_id: string; readonly commit_sha: string },
): Promise<boolean> {
  const changed = await tx.run(
    'update revisions set commit_sha = $2, updated_at = now() where id = $1 and commit_sha is null',
    [revision_id, commit_sha],
  );
  return changed > 0;
}
