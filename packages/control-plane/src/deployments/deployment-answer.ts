import { type Deployment, SECRET_MASK } from '@roadstead/contracts/control-plane';
import type { Queryable } from '@roadstead/postgres';
import { etagOf, isKnown } from '../requests/caller.ts';
import type { Context } from '../context/context.ts';
import { fieldRule } from '../specs/source-rules.ts';
import { type DeploymentView, readDeploymentView } from '../records/deployment-view-store.ts';
import type { RowKey } from '../records/keys.ts';

/** A deployment on the wire, with the version for its ETag. */
export interface VersionedDeployment {
  readonly answer: Deployment;
  readonly version: number;
}

/** Throws `not_found` outside the workspace and once deleted. */
export async function showDeployment(
  context: Context,
  db: Queryable,
  at: RowKey,
): Promise<VersionedDeployment> {
  const view = await readDeploymentView(db, at);
  return { answer: answerOf(view, context.agent_url), version: view.version };
}

export function respond({ answer, version }: VersionedDeployment, status = 200): Response {
  return Response.json(answer, { status, headers: { etag: etagOf(version, answer) } });
}

/** The same answer, or 304 to a caller that has it already. */
export function respondIfNew({ answer, version }: VersionedDeployment, request: Request): Response {
  const etag = etagOf(version, answer);
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers: { etag } });
  return Response.json(answer, { headers: { etag } });
}

/** A view on the wire. `agent_url` provides the address when the listener has reported none. */
export function answerOf(view: DeploymentView, agent_url: (slug: string) => string): Deployment {
  const { custom_url } = view.source_config;
  const url = view.active_revision_id === null ? null : (custom_url ?? view.url ?? agent_url(view.slug));
  const {
    repo_ref,
    langgraph_config_path,
    image_uri,
    source_tarball_path,
    secret_references = [],
  } = view.config;
  return {
    id: view.id,
    name: view.name,
    display_name: view.display_name,
    tenant_id: view.workspace_id,
    source: view.source_name,
    // Where callers may set it, it is the value that they set: an address of ours, sent back, would become theirs.
    source_config: { ...view.source_config, custom_url: isCustom(view) ? custom_url : url },
    source_revision_config: {
      repo_ref,
      langgraph_config_path,
      image_uri,
      source_tarball_path,
      repo_commit_sha: view.commit_sha,
    },
    secrets: view.secret_names.map((name) => ({ name, value: SECRET_MASK as typeof SECRET_MASK })),
    secret_references: secret_references.length > 0 ? [...secret_references] : null,
    created_at: view.created_at,
    updated_at: view.updated_at,
    status: view.shown_status,
    status_reason: view.status_reason,
    notes: [...view.notes],
    latest_revision_id: view.latest_revision_id,
    active_revision_id: view.active_revision_id,
    image_version: view.image_version,
    url,
    tracer_session_id: view.tracer_session_id,
  };
}

const isCustom = ({ source }: DeploymentView) => fieldRule(source, 'source_config.custom_url') === 'allowed';
