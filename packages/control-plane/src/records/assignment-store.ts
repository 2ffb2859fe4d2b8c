import type { Assignment, Observation, StatusReason } from '@roadstead/contracts/control-plane';
import type { UnderLock, Queryable } from '@roadstead/postgres';
import type { WatchCandidate } from '../git-hosts/watch-rules.ts';
import { boundedNotes, boundedReason } from './observation-rules.ts';
import type { RevisionRow } from './revision-store.ts';

/** The desired state of a deployment, and its listener's last observation. */
export interface AssignmentRow {
  readonly deployment_id: string;
  readonly listener_id: string;
  readonly generation: number;
  readonly revision_id: string | null;
  readonly removed: boolean;
  readonly purge: boolean;
  /** That of its holder. */
  readonly fence: number;
  readonly observed_generation: number;
  readonly observed_fence: number;
  readonly observed: ObservedState | null;
}

/** The part of an observation that is stored. */
type ObservedState = Pick<Observation, 'revision_id' | 'phase' | 'outcome'> & {
  /** The trouble of the revision that serves; null where there is none. */
  readonly trouble?: StatusReason | null;
  /** What of it has no effect. */
  readonly notes?: readonly string[];
};

const columns = `deployment_id, listener_id, generation, revision_id, removed, purge, fence, observed_generation,
  observed_fence, observed`;

export async function findAssignment(
  db: Queryable,
  deployment_id: string,
): Promise<AssignmentRow | undefined> {
  return db.maybe<AssignmentRow>(`select ${columns} from assignments where deployment_id = $1`, [
    deployment_id,
  ]);
}

/** The listener's counter provided the generation in this transaction. */
export async function setDesired(
  tx: UnderLock<'deployment'>,
  deployment_id: string,
  desired: Pick<AssignmentRow, 'generation' | 'revision_id' | 'removed' | 'purge'>,
): Promise<void> {
  await tx.run(
    'update assignments set generation = $2, revision_id = $3, removed = $4, purge = $5 where deployment_id = $1',
    [deployment_id, desired.generation, desired.revision_id, desired.removed, desired.purge],
  );
}

export async function setObserved(
  tx: UnderLock<'deployment'> & UnderLock<'lease'>,
  deployment_id: string,
  seen: Observation,
): Promise<void> {
  const { revision_id, phase, outcome } = seen;
  const notes = boundedNotes(seen.notes);
  const trouble = seen.trouble == null ? null : boundedReason(seen.trouble);
  await tx.run(
    `update assignments set observed_generation = $2, observed_fence = $3, observed = $4::text::jsonb,
       url = coalesce($5, url), hosts = $6
     where deployment_id = $1`,
    [
      deployment_id,
      seen.generation,
      seen.fence,
      JSON.stringify({ revision_id, phase, outcome, trouble, notes } satisfies ObservedState),
      seen.url,
      seen.hosts,
    ],
  );
}

/** Whether the listener has reported the end of this very generation. */
export function isDone({ generation, observed_generation, observed }: AssignmentRow): boolean {
  return generation > 0 && observed_generation === generation && observed?.outcome === 'done';
}

export interface DesiredRow extends AssignmentRow {
  /** What the instance that asks does with it. */
  readonly hold: Assignment['hold'];
  readonly workspace_id: string;
  readonly name: string;
  readonly slug: string;
  /** The one that it names, or the first of its listener when it was made. */
  readonly namespace: string | null;
  readonly is_default_namespace: boolean;
  readonly custom_url: string | null;
  readonly watched: WatchCandidate;
  readonly wanted: DesiredRevision | null;
  readonly active: DesiredRevision | null;
}

/** The fields of a revision that a listener needs. */
export type DesiredRevision = Pick<
  RevisionRow,
  | 'id'
  | 'number'
  | 'status'
  | 'source'
  | 'source_digest'
  | 'commit_sha'
  | 'artifact_digest'
  | 'artifact_image'
  | 'config'
  | 'environment_version'
  | 'manifest'
>;

/**
 * The desired states of an instance after a generation, in order; removals that were reported as done are left out. One statement,
 * so that each generation comes with the state that it was drawn for.
 */
export async function listDesired(
  db: Queryable,
  {
    listener_id,
    instance,
    since,
  }: { readonly listener_id: string; readonly instance: string; readonly since: number },
): Promise<DesiredRow[]> {
  return db.query<DesiredRow>(
    `select a.*,
       case when a.instance is distinct from $3 then 'prepare' when a.is_next_ready then 'release' else 'run' end as hold,
       d.workspace_id, d.name, d.slug,
       d.source_config -> 'listener_config' ->> 'cluster_namespace' is null as is_default_namespace,
       d.source_config ->> 'custom_url' as custom_url,
       json_build_object('repo_url', d.source_config ->> 'repo_url', 'repo_ref', latest.config ->> 'repo_ref',
         'build_on_push', coalesce((d.source_config ->> 'build_on_push')::boolean, false),
         'is_hooked', d.pushed_at is not null, 'has_credentials', i.credential_sealed is not null) as watched,
       to_jsonb(wanted) as wanted, to_jsonb(active) as active
     from assignments a
       join deployments d on d.id = a.deployment_id
       left join integrations i on i.id = d.integration_id
       left join revisions latest on latest.id = d.latest_revision_id
       left join revisions wanted on wanted.id = a.revision_id
       left join revisions active on active.id = d.active_revision_id
     where a.listener_id = $1 and a.generation > $2 and (a.instance = $3 or (a.next_instance = $3 and not a.is_next_ready))
       and not (a.removed and a.observed_generation = a.generation and a.observed ->> 'outcome' = 'done')
     order by a.generation`,
    [listener_id, since, instance],
  );
}
