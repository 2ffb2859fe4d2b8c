import { mayFollow, isTerminal } from '@roadstead/contracts';
import {
  type Artifact,
  type Revision,
  revisionFlow,
  type RevisionStatus,
  type SourceKind,
  type StatusReason,
} from '@roadstead/contracts/control-plane';
import type { Manifest } from '@roadstead/contracts/host';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { UnderLock, Queryable, Transaction } from '@roadstead/postgres';
import { insertEvent } from '../events/event-store.ts';
import type { WorkspaceActor } from './keys.ts';
import { endPhase, type PhaseRecord } from './observation-rules.ts';
import type { RevisionConfig } from '../specs/revision-rules.ts';

export interface RevisionRow {
  readonly id: string;
  readonly deployment_id: string;
  readonly number: number;
  readonly status: RevisionStatus;
  readonly status_reason: StatusReason | null;
  readonly source: SourceKind;
  readonly config: RevisionConfig;
  readonly source_digest: string | null;
  /** The commit that the ref of a git source was resolved to; null until then, and never changed afterwards. */
  readonly commit_sha: string | null;
  /** The digest of a folder. */
  readonly artifact_digest: string | null;
  readonly artifact_image: string | null;
  readonly artifact_expired: boolean;
  readonly environment_version: number;
  readonly manifest: Manifest | null;
  readonly phases: readonly PhaseRecord[];
  readonly trigger: Revision['trigger'];
  readonly superseded_by: string | null;
  readonly rollback_of: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

const columns = `id, deployment_id, number, status, status_reason, source, config, source_digest, commit_sha, artifact_digest,
  artifact_image, artifact_expired, environment_version, manifest, phases, trigger, superseded_by, rollback_of, created_at, updated_at`;

export type NewRevision = Pick<
  RevisionRow,
  | 'deployment_id'
  | 'status_reason'
  | 'source'
  | 'config'
  | 'source_digest'
  | 'commit_sha'
  | 'artifact_digest'
  | 'artifact_image'
  | 'environment_version'
  | 'trigger'
  | 'rollback_of'
> & { readonly workspace_id: string };

/** Inserts a revision, which becomes the latest of its deployment. */
export async function insertRevision(tx: UnderLock<'deployment'>, fresh: NewRevision): Promise<RevisionRow> {
  const { number, now } = await tx.one<{ number: number; now: string }>(
    'select coalesce(max(number), 0) + 1 as number, now() as now from revisions where deployment_id = $1',
    [fresh.deployment_id],
  );
  const phases: readonly PhaseRecord[] = [{ phase: 'queue', started_at: now, ended_at: null }];
  const row = await tx.one<RevisionRow>(
    `insert into revisions (id, deployment_id, number, status, status_reason, source, config, source_digest,
       artifact_digest, artifact_image, environment_version, phases, trigger, rollback_of, commit_sha)
     values ($1, $2, $3, 'CREATING', $4::text::jsonb, $5, $6::text::jsonb, $7, $8, $9, $10, $11::text::jsonb,
       $12::text::jsonb, $13, $14)
     returning ${columns}`,
    [
      uuidv7(),
      fresh.deployment_id,
      number,
      fresh.status_reason === null ? null : JSON.stringify(fresh.status_reason),
      fresh.source,
      JSON.stringify(fresh.config),
      fresh.source_digest,
      fresh.artifact_digest,
      fresh.artifact_image,
      fresh.environment_version,
      JSON.stringify(phases),
      JSON.stringify(fresh.trigger),
      fresh.rollback_of,
      fresh.commit_sha,
    ],
  );
  await tx.run(
    'update deployments set latest_revision_id = $2, version = version + 1, updated_at = now() where id = $1',
    [fresh.deployment_id, row.id],
  );
  await insertEvent(tx, {
    workspace_id: fresh.workspace_id,
    kind: 'revision.created',
    deployment_id: fresh.deployment_id,
    revision_id: row.id,
    actor: fresh.trigger.actor,
    to: row.status,
    detail: { number: row.number, trigger: fresh.trigger.kind },
  });
  return row;
}

export interface RevisionMove extends WorkspaceActor {
  readonly revision: RevisionRow;
  readonly to: RevisionStatus;
  readonly reason?: StatusReason | null;
  readonly superseded_by?: string;
}

/**
 * The only writer of a revision's status: compare-and-set with its event. Undefined when the status has changed
 * meanwhile; throws when the table does not allow the move.
 */
export async function advanceRevision(
  tx: UnderLock<'deployment'>,
  move: RevisionMove,
): Promise<RevisionRow | undefined> {
  const { revision, to, reason = null } = move;
  if (!mayFollow(revisionFlow, revision.status, to))
    throw new Error(`A revision cannot go from ${revision.status} to ${to}.`);
  const phases = isTerminal(revisionFlow, to)
    ? endPhase(revision.phases, await readNow(tx))
    : revision.phases;
  const row = await tx.maybe<RevisionRow>(
    `update revisions set status = $3, status_reason = $4::text::jsonb, phases = $5::text::jsonb,
       superseded_by = coalesce($6, superseded_by), updated_at = now()
     where id = $1 and status = $2 returning ${columns}`,
    [
      revision.id,
      revision.status,
      to,
      reason === null ? null : JSON.stringify(reason),
      JSON.stringify(phases),
      move.superseded_by ?? null,
    ],
  );
  if (row === undefined) return undefined;
  await insertEvent(tx, {
    workspace_id: move.workspace_id,
    kind: 'revision.status',
    deployment_id: revision.deployment_id,
    revision_id: revision.id,
    actor: move.actor,
    from: revision.status,
    to,
    detail: reason === null ? {} : { phase: reason.phase, code: reason.code },
  });
  return row;
}

/** Sets why a revision waits, or that it does not; its status stays. */
export async function setReason(
  tx: Transaction,
  { revision, reason }: { readonly revision: RevisionRow; readonly reason: StatusReason | null },
): Promise<void> {
  const before = revision.status_reason;
  const told = ['code', 'message', 'phase', 'hint'] as const;
  if (told.every((field) => (before?.[field] ?? null) === (reason?.[field] ?? null))) return;
  await tx.run(
    'update revisions set status_reason = $3::text::jsonb, updated_at = now() where id = $1 and status = $2',
    [revision.id, revision.status, reason === null ? null : JSON.stringify(reason)],
  );
}

/** Records the progress that a listener reports; null leaves the present value. */
export async function recordProgress(
  tx: UnderLock<'deployment'>,
  revision_id: string,
  work: {
    readonly phases: readonly PhaseRecord[];
    readonly artifact: Artifact | null;
    readonly manifest: Manifest | null;
  },
): Promise<RevisionRow> {
  return tx.one<RevisionRow>(
    `update revisions set phases = $2::text::jsonb, artifact_digest = coalesce($3, artifact_digest),
       artifact_image = coalesce($4, artifact_image), manifest = coalesce($5::text::jsonb, manifest), updated_at = now()
     where id = $1 returning ${columns}`,
    [
      revision_id,
      JSON.stringify(work.phases),
      work.artifact?.kind === 'folder' ? work.artifact.digest : null,
      work.artifact?.kind === 'image' ? work.artifact.image_uri : null,
      work.manifest === null ? null : JSON.stringify(work.manifest),
    ],
  );
}

export async function setArtifact(
  tx: UnderLock<'deployment'>,
  { revision_id, digest }: { readonly revision_id: string; readonly digest: string },
): Promise<void> {
  await tx.run('update revisions set artifact_digest = $2 where id = $1', [revision_id, digest]);
}

type RevisionKey = Pick<RevisionRow, 'deployment_id' | 'id'>;

export async function findRevision(
  db: Queryable,
  { deployment_id, id }: RevisionKey,
): Promise<RevisionRow | undefined> {
  return db.maybe<RevisionRow>(`select ${columns} from revisions where deployment_id = $1 and id = $2`, [
    deployment_id,
    id,
  ]);
}

/** Throws `not_found` when the deployment has no such revision. */
export async function readRevision(db: Queryable, at: RevisionKey): Promise<RevisionRow> {
  const row = await findRevision(db, at);
  if (row === undefined) throw new Problem('not_found', 'The deployment has no such revision.');
  return row;
}

/** Revisions, newest first. */
export async function listRevisions(
  db: Queryable,
  deployment_id: string,
  page: {
    readonly limit: number;
    readonly offset: number;
    readonly status?: readonly RevisionStatus[] | undefined;
  },
): Promise<RevisionRow[]> {
  return db.query<RevisionRow>(
    `select ${columns} from revisions
     where deployment_id = $1 and ($4::text[] is null or status = any($4::text[]))
     order by number desc limit $2 offset $3`,
    [deployment_id, page.limit, page.offset, page.status ?? null],
  );
}

/** The revisions that have not reached an end. */
export async function listOpenRevisions(db: Queryable, deployment_id: string): Promise<RevisionRow[]> {
  return db.query<RevisionRow>(
    `select ${columns} from revisions where deployment_id = $1 and status <> all($2::text[]) order by number`,
    [deployment_id, terminalStatuses],
  );
}

export const terminalStatuses = Object.keys(revisionFlow).filter((status) =>
  isTerminal(revisionFlow, status as RevisionStatus),
);

/** The artifact that was built from the same source in the same way, in this workspace by this listener. */
export async function findEqualArtifact(
  db: Queryable,
  like: {
    readonly workspace_id: string;
    readonly listener_id: string;
    readonly repository: string | null;
    readonly revision: RevisionRow;
  },
): Promise<string | undefined> {
  const { config, source_digest, commit_sha } = like.revision;
  const row = await db.maybe<{ artifact_digest: string }>(
    `select r.artifact_digest from revisions r
       join deployments d on d.id = r.deployment_id
       join assignments a on a.deployment_id = d.id
     where (r.source_digest = $1 or r.commit_sha = $7 and d.repository = $8) and r.artifact_digest is not null and d.workspace_id = $2 and a.listener_id = $3
       and r.config ->> 'langgraph_config_path' is not distinct from $4
       and r.config ->> 'install_command' is not distinct from $5
       and r.config ->> 'build_command' is not distinct from $6
     order by r.created_at desc, r.id desc limit 1`,
    [
      source_digest,
      like.workspace_id,
      like.listener_id,
      config.langgraph_config_path,
      config.install_command,
      config.build_command,
      commit_sha,
      like.repository,
    ],
  );
  return row?.artifact_digest;
}

/** The database's clock at the beginning of the transaction, in ISO 8601. */
export async function readNow(tx: Transaction): Promise<string> {
  return (await tx.one<{ now: string }>('select now() as now')).now;
}

/** Whether a revision has served whose graphs store channels of threads as differences. */
export async function haveStoredDeltas(db: Queryable, deployment_id: string): Promise<boolean> {
  const found = await db.run(
    `select from revisions where deployment_id = $1 and manifest ->> 'stores_deltas' = 'true' limit 1`,
    [deployment_id],
  );
  return found > 0;
}
