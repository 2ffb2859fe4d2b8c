import { mayFollow } from '@roadstead/contracts';
import {
  deploymentFlow,
  type SourceKind,
  type SourceName,
  type StoredDeploymentStatus,
} from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { type UnderLock, nowLocked, type Queryable, type Transaction } from '@roadstead/postgres';
import { insertEvent } from '../events/event-store.ts';
import type { StoredSourceConfig } from '../specs/revision-rules.ts';
import type { RowKey } from './keys.ts';

export interface DeploymentRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly slug: string;
  readonly source: SourceKind;
  readonly source_config: StoredSourceConfig;
  readonly status: StoredDeploymentStatus;
  readonly version: number;
  readonly latest_revision_id: string | null;
  readonly active_revision_id: string | null;
  readonly tracer_session_id: string | null;
  readonly key_id: string | null;
  readonly key_sealed: string | null;
  readonly keys_revoked: boolean;
  /** In the form in which addresses are compared. */
  readonly repository: string | null;
  /** The integration by which its repository is fetched. */
  readonly integration_id: string | null;
  readonly delete_tracing_project: boolean;
  readonly purge_due: boolean;
}

const columns = `id, workspace_id, name, slug, source, source_config, status, version, latest_revision_id,
  active_revision_id, tracer_session_id, key_id, key_sealed, keys_revoked, repository, integration_id, delete_tracing_project,
  coalesce(purge_at <= now(), false) as purge_due`;

/** The new row is invisible to others before the commit, which is as good as a lock. */
export async function insertDeployment(
  tx: Transaction,
  fresh: Pick<
    DeploymentRow,
    'id' | 'workspace_id' | 'name' | 'slug' | 'source' | 'source_config' | 'repository'
  > & {
    readonly display_name: string | null;
    readonly source_name: SourceName;
    readonly listener_id: string;
    /** On a cluster, where one is known. */
    readonly namespace: string | null;
    readonly actor: string;
  },
): Promise<UnderLock<'deployment'>> {
  await tx.run(
    `insert into deployments (id, workspace_id, name, slug, source, source_config, status, integration_id, repository,
       display_name, source_name)
     values ($1, $2, $3, $4, $5, $6::text::jsonb, 'AWAITING_DATABASE', $7, $8, $9, $10)`,
    [
      fresh.id,
      fresh.workspace_id,
      fresh.name,
      fresh.slug,
      fresh.source,
      JSON.stringify(fresh.source_config),
      fresh.source_config.integration_id,
      fresh.repository,
      fresh.display_name,
      fresh.source_name,
    ],
  );
  await tx.run('insert into assignments (deployment_id, listener_id, namespace) values ($1, $2, $3)', [
    fresh.id,
    fresh.listener_id,
    fresh.namespace,
  ]);
  await insertEvent(tx, {
    workspace_id: fresh.workspace_id,
    kind: 'deployment.created',
    deployment_id: fresh.id,
    actor: fresh.actor,
    to: 'AWAITING_DATABASE',
    detail: { name: fresh.name, source: fresh.source },
  });
  return nowLocked(tx);
}

export async function isSlugTaken(db: Queryable, slug: string): Promise<boolean> {
  return (
    (await db.maybe('select id from deployments where slug = $1 and deleted_at is null', [slug])) !==
    undefined
  );
}

export async function findDeployment(db: Queryable, id: string): Promise<DeploymentRow | undefined> {
  return db.maybe<DeploymentRow>(`select ${columns} from deployments where id = $1`, [id]);
}

/** A deployment that stays locked until the transaction ends. */
export interface HeldDeployment {
  readonly tx: UnderLock<'deployment'>;
  readonly deployment: DeploymentRow;
}

/**
 * Taken before anything of a deployment is changed. Rows that only refer to it, such as of its logs, may come meanwhile: their writers
 * have its assignment, for which whoever has this lock waits.
 */
export async function lockDeployment(tx: Transaction, id: string): Promise<HeldDeployment | undefined> {
  const deployment = await tx.maybe<DeploymentRow>(
    `select ${columns} from deployments where id = $1 for no key update`,
    [id],
  );
  return deployment === undefined ? undefined : { tx: nowLocked(tx), deployment };
}

/** The same for a caller: `not_found` outside its workspace and once deleted, `conflict` while being deleted. */
export async function lockLiveDeployment(
  tx: Transaction,
  { workspace_id, id }: RowKey,
): Promise<HeldDeployment> {
  const held = await lockDeployment(tx, id);
  if (held === undefined || held.deployment.workspace_id !== workspace_id) throw noDeployment();
  const { status } = held.deployment;
  if (status === 'DELETED') throw noDeployment();
  if (status === 'AWAITING_DELETE')
    throw new Problem('conflict', 'The deployment is being deleted; nothing of it can be changed any more.');
  return held;
}

export function noDeployment(): Problem {
  return new Problem('not_found', 'There is no such deployment in this workspace.');
}

/**
 * The only writer of a deployment's status: compare-and-set with its event. False when the status has changed
 * meanwhile.
 */
export async function advanceDeployment(
  tx: UnderLock<'deployment'>,
  move: { readonly deployment: DeploymentRow; readonly to: StoredDeploymentStatus; readonly actor: string },
): Promise<boolean> {
  const { deployment, to, actor } = move;
  if (!mayFollow(deploymentFlow, deployment.status, to))
    throw new Error(`A deployment cannot go from ${deployment.status} to ${to}.`);
  const changed = await tx.run(
    'update deployments set status = $3, updated_at = now() where id = $1 and status = $2',
    [deployment.id, deployment.status, to],
  );
  if (changed === 0) return false;
  await insertEvent(tx, {
    workspace_id: deployment.workspace_id,
    kind: 'deployment.status',
    deployment_id: deployment.id,
    actor,
    from: deployment.status,
    to,
  });
  return true;
}

export async function setSourceConfig(
  tx: UnderLock<'deployment'>,
  id: string,
  source_config: StoredSourceConfig,
): Promise<void> {
  await tx.run(
    `update deployments set source_config = $2::text::jsonb, version = version + 1, updated_at = now()
     where id = $1`,
    [id, JSON.stringify(source_config)],
  );
}

export async function setDisplayName(
  tx: UnderLock<'deployment'>,
  { id, display_name }: { readonly id: string; readonly display_name: string },
): Promise<void> {
  await tx.run(
    'update deployments set display_name = $2, version = version + 1, updated_at = now() where id = $1',
    [id, display_name],
  );
}

/** Set only because of what a listener observes. */
export async function setActiveRevision(
  tx: UnderLock<'deployment'>,
  { id, revision_id }: { readonly id: string; readonly revision_id: string },
): Promise<void> {
  await tx.run('update deployments set active_revision_id = $2, updated_at = now() where id = $1', [
    id,
    revision_id,
  ]);
}

export async function setTracingProject(
  tx: Transaction,
  { id, session_id }: { readonly id: string; readonly session_id: string },
): Promise<void> {
  await tx.run('update deployments set tracer_session_id = $2 where id = $1 and tracer_session_id is null', [
    id,
    session_id,
  ]);
}

/** Called when the project is gone, or belongs to somebody else now. */
export async function forgetTracingProject(tx: Transaction, id: string): Promise<void> {
  await tx.run(
    'update deployments set tracer_session_id = null, delete_tracing_project = false where id = $1',
    [id],
  );
}

/** Binds the sealed key to its row. */
export const keyRowOf = (id: string) => `deployment:${id}:key`;

export async function setKey(
  tx: UnderLock<'deployment'>,
  id: string,
  key: { readonly id: string; readonly sealed: string },
): Promise<void> {
  await tx.run('update deployments set key_id = $2, key_sealed = $3, keys_revoked = false where id = $1', [
    id,
    key.id,
    key.sealed,
  ]);
}

export async function forgetKey(tx: Transaction, id: string): Promise<void> {
  await tx.run('update deployments set key_id = null, key_sealed = null, keys_revoked = true where id = $1', [
    id,
  ]);
}

/** Records what a caller asks of a removal; a repeated call can only add to it. */
export async function requestRemoval(
  tx: UnderLock<'deployment'>,
  id: string,
  request: { readonly delete_tracing_project: boolean; readonly force: boolean },
): Promise<void> {
  await tx.run(
    `update deployments set delete_tracing_project = delete_tracing_project or $2,
       purge_at = case when $3 then now() else purge_at end, version = version + 1, updated_at = now()
     where id = $1`,
    [id, request.delete_tracing_project, request.force],
  );
}

/** Frees its name from here on; it stays in the bin until `purge_at`. */
export async function putIntoBin(
  tx: UnderLock<'deployment'>,
  { id, bin_days }: { readonly id: string; readonly bin_days: number },
): Promise<void> {
  await tx.run(
    `update deployments set deleted_at = now(), purge_at = coalesce(purge_at, now() + make_interval(days => $2))
     where id = $1`,
    [id, bin_days],
  );
}

/**
 * Takes it out of the bin, and forgets everything that was asked of its removal. A unique violation when its name or
 * its slug belongs to another one by now.
 */
export async function takeOutOfBin(tx: UnderLock<'deployment'>, id: string): Promise<void> {
  await tx.run(
    `update deployments set deleted_at = null, purge_at = null, delete_tracing_project = false, keys_revoked = false,
       version = version + 1, updated_at = now()
     where id = $1`,
    [id],
  );
}

/** Deletes all of its rows but its events. */
export async function eraseDeployment(tx: UnderLock<'deployment'>, id: string): Promise<void> {
  // Writers of logs have its assignment, and need the deployment's row then.
  await tx.run('select from assignments where deployment_id = $1 for update', [id]);
  await tx.run('delete from deployments where id = $1', [id]);
}

/** The ids of all deployments, whatever their state. */
export async function listDeploymentIds(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>('select id from deployments order by id');
  return rows.map(({ id }) => id);
}

/**
 * The deployments for which the loop may have something to do: a waiting revision, a removal or restoration under
 * way, a bin to empty. Each part uses an index of its own: run every few seconds, it costs what there is to do and
 * not what there is.
 */
export async function listUnsettled(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from deployments where status = 'AWAITING_DELETE'
     union select id from deployments where status = 'DELETED' and purge_at <= now()
     union select id from deployments where status = 'DELETED' and delete_tracing_project
     union select d.id from revisions r join deployments d on d.id = r.deployment_id
       where r.status in ('CREATING', 'QUEUED') and d.status in ('AWAITING_DATABASE', 'READY')
     union select d.id from assignments a join deployments d on d.id = a.deployment_id
       where a.removed and d.status in ('AWAITING_DATABASE', 'READY')`,
  );
  return rows.map((row) => row.id);
}
