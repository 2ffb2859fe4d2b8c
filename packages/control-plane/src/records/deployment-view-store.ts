import { ALL_WORKSPACES } from '@roadstead/contracts';
import type {
  DeploymentStatus,
  SourceKind,
  SourceName,
  StatusReason,
} from '@roadstead/contracts/control-plane';
import type { Queryable } from '@roadstead/postgres';
import { noDeployment } from './deployment-store.ts';
import type { RevisionConfig, StoredSourceConfig } from '../specs/revision-rules.ts';
import type { RowKey } from './keys.ts';

/**
 * A deployment as callers see it, assembled from its row, its latest revision and its listener's last observation.
 */
export interface DeploymentView {
  readonly id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly slug: string;
  readonly display_name: string | null;
  readonly source: SourceKind;
  /** The source in the words of the client that created the deployment. */
  readonly source_name: SourceName;
  readonly source_config: StoredSourceConfig;
  readonly version: number;
  readonly shown_status: DeploymentStatus;
  /** The trouble of the revision that serves. */
  readonly status_reason: StatusReason | null;
  /** What of it has no effect where it runs. */
  readonly notes: readonly string[];
  readonly latest_revision_id: string | null;
  readonly active_revision_id: string | null;
  readonly tracer_session_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** The address that the listener reported. */
  readonly url: string | null;
  readonly config: RevisionConfig;
  readonly environment_version: number;
  readonly source_digest: string | null;
  readonly commit_sha: string | null;
  readonly secret_names: readonly string[];
  readonly listener_id: string;
  readonly namespace: string | null;
  readonly is_remote: boolean;
  readonly image_version: string | null;
}

/**
 * `UNKNOWN` and `UNUSED` are derived here only: the lease of who has it has expired; or no graph host runs, as before the
 * first revision is active. A deployment in the bin shows the last status that the specification knows.
 */
const shown_status = `case
    when d.status in ('AWAITING_DELETE', 'DELETED') then 'AWAITING_DELETE'
    when coalesce(i.lease_expires_at, l.lease_expires_at, '-infinity') <= now() then 'UNKNOWN'
    when d.status = 'READY' and (d.active_revision_id is null or a.hosts = 0) then 'UNUSED'
    else d.status
  end`;

const is_remote = `(l.workspace_id <> '${ALL_WORKSPACES}')`;

/** A listener runs the agent server of its own version; an image brings one of unknown version. */
const image_version = `case
    when d.active_revision_id is null or d.source in ('external_image', 'internal_image') then null
    else l.version
  end`;

const select = `
  select d.id, d.workspace_id, d.name, d.slug, d.display_name, d.source,
    coalesce(d.source_name, d.source) as source_name, d.source_config, d.version, d.latest_revision_id,
    d.active_revision_id, d.tracer_session_id, d.created_at, d.updated_at, a.url, a.listener_id, a.namespace,
    r.config, r.environment_version, r.source_digest, r.commit_sha, coalesce(e.names, '{}') as secret_names,
    ${shown_status} as shown_status, ${is_remote} as is_remote, ${image_version} as image_version,
    coalesce(nullif(a.observed -> 'trouble', 'null'), d.head_problem) as status_reason,
    coalesce(a.observed -> 'notes', '[]') as notes
  from deployments d
    join assignments a on a.deployment_id = d.id
    join listeners l on l.id = a.listener_id
    left join listener_instances i on i.listener_id = a.listener_id and i.name = a.instance
    join revisions r on r.id = d.latest_revision_id
    left join environments e on e.deployment_id = d.id and e.version = r.environment_version`;

async function findDeploymentView(
  db: Queryable,
  { workspace_id, id }: RowKey,
): Promise<DeploymentView | undefined> {
  return db.maybe<DeploymentView>(
    `${select} where d.id = $1 and d.workspace_id = $2 and d.status <> 'DELETED'`,
    [id, workspace_id],
  );
}

/** Throws `not_found` outside the workspace and once deleted. */
export async function readDeploymentView(db: Queryable, at: RowKey): Promise<DeploymentView> {
  const view = await findDeploymentView(db, at);
  if (view === undefined) throw noDeployment();
  return view;
}

export interface DeploymentFilter {
  readonly workspace_id: string;
  readonly limit: number;
  readonly offset: number;
  readonly name?: string | undefined;
  readonly name_contains?: string | undefined;
  /** `deleted`: deployments in the bin. */
  readonly status?: DeploymentStatus | 'deleted' | undefined;
  readonly deployment_ids?: readonly string[] | undefined;
  readonly deployment_type?: string | undefined;
  /** Run by a listener of the workspace, and not by the platform's own. */
  readonly remote_reconciled?: boolean | undefined;
  /** The version of the agent server. */
  readonly image_version?: string | undefined;
}

/** Newest first; with `name_contains`, the one with exactly that name comes first. */
export async function listDeploymentViews(
  db: Queryable,
  filter: DeploymentFilter,
): Promise<DeploymentView[]> {
  const in_bin = filter.status === 'deleted';
  return db.query<DeploymentView>(
    `${select}
     where d.workspace_id = $1 and (d.status = 'DELETED') = $2
       and ($3::text is null or d.name = $3)
       and ($4::text is null or position($4 in d.name) > 0)
       and ($5::text is null or ${shown_status} = $5)
       and ($6::uuid[] is null or d.id = any($6::uuid[]))
       and ($7::text is null or d.source_config ->> 'deployment_type' = $7)
       and ($8::boolean is null or ${is_remote} = $8)
       and ($9::text is null or ${image_version} = $9)
     order by (d.name = $4) is true desc, d.id desc limit $10 offset $11`,
    [
      filter.workspace_id,
      in_bin,
      filter.name ?? null,
      filter.name_contains ?? null,
      in_bin ? null : (filter.status ?? null),
      filter.deployment_ids ?? null,
      filter.deployment_type ?? null,
      filter.remote_reconciled ?? null,
      filter.image_version ?? null,
      filter.limit,
      filter.offset,
    ],
  );
}
