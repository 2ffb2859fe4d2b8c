import { isTerminal } from '@roadstead/contracts';
import { type AssignedRevision, type Assignment, revisionFlow } from '@roadstead/contracts/control-plane';
import type { Queryable } from '@roadstead/kit';
import type { Context } from '../context.ts';
import { type DesiredRevision, type DesiredRow, listDesired } from './assignment-store.ts';

/** Longer than any build may take; a listener that begins anew gets fresh addresses. */
const ADDRESS_LIFETIME_S = 12 * 3600;

/** The whole desired state of every deployment whose generation grew after `since`. */
export async function listAssignments(
  context: Context,
  db: Queryable,
  at: { readonly listener_id: string; readonly since: number; readonly fence: number },
): Promise<Assignment[]> {
  const rows = await listDesired(db, at.listener_id, at.since);
  return rows.map((row) => assignmentOf(context, row, at.fence));
}

function assignmentOf(context: Context, row: DesiredRow, fence: number): Assignment {
  const { wanted, active } = row;
  const isToReach = wanted !== null && !isTerminal(revisionFlow, wanted.status);
  return {
    deployment_id: row.deployment_id,
    workspace_id: row.workspace_id,
    name: row.name,
    slug: row.slug,
    generation: row.generation,
    fence,
    revision: isToReach && !row.removed ? assignedRevision(context, wanted) : null,
    active: active !== null && !row.removed ? assignedRevision(context, active) : null,
    removed: row.removed,
    purge: row.purge,
  };
}

/** With an artifact there is nothing to fetch or to build but that. */
function assignedRevision(context: Context, row: DesiredRevision): AssignedRevision {
  const { id, number, source_digest, artifact_digest, config, environment_version } = row;
  const sign = (claims: Parameters<typeof context.blob_addresses.sign>[0]) =>
    `${context.public_url}/v2/blobs/${context.blob_addresses.sign(claims, ADDRESS_LIFETIME_S)}`;
  const isBuilt = artifact_digest !== null;
  return {
    id,
    number,
    source_url: isBuilt || source_digest === null ? null : sign({ method: 'GET', digest: source_digest }),
    source_digest,
    artifact_url: isBuilt ? sign({ method: 'GET', digest: artifact_digest }) : null,
    artifact_digest,
    artifact_put_url: isBuilt ? null : sign({ method: 'PUT', revision_id: id }),
    config: {
      langgraph_config_path: config.langgraph_config_path ?? '',
      install_command: config.install_command,
      build_command: config.build_command,
    },
    environment_version,
  };
}
