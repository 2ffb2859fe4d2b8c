import { ApiError } from '@roadstead/contracts';
import type { Deployment, Revision } from '@roadstead/contracts/control-plane';
import { isUuid, Problem } from '@roadstead/kit';
import { findByIdOrName } from '../name-lookup.ts';
import type { ToolContext } from '../tool.ts';

/** Finds deployments and revisions by the names that callers give. */

const UNREADABLE: ReadonlySet<number> = new Set([200, 404, 405, 501]);

/** The answer to a call of the control plane; another API's answer at its address is rejected. */
async function asked<T>(call: Promise<T>): Promise<T> {
  const answer = await call.catch((error: unknown) => {
    if (error instanceof ApiError && UNREADABLE.has(error.status)) throw noControlPlane();
    throw error;
  });
  if (typeof answer !== 'object' || answer === null) throw noControlPlane();
  return answer;
}

function noControlPlane(): Problem {
  return new Problem(
    'not_found',
    'The endpoint has no control plane, so there are no deployments to look at.',
    {
      code: 'no_control_plane',
      hint: 'Point the MCP server at a Roadstead; traces can be read from here by list_projects and fetch_runs.',
    },
  );
}

/** @throws Problem `not_found` where no deployment has the name or id */
export async function findDeployment(given: string, context: ToolContext): Promise<Deployment> {
  const { control, signal } = context;
  const found = await findByIdOrName(given, {
    byId: (id) => listDeployments({ deployment_ids: [id.toLowerCase()], limit: 1 }, context),
    byName: (name) => listDeployments({ name, limit: 1 }, context),
  });
  if (found !== undefined) return control.readDeployment({ params: { deployment_id: found.id }, signal });
  throw new Problem('not_found', 'No deployment has the name or id in deployment.', {
    hint: 'Call list_deployments to see the deployments there are.',
  });
}

export async function listDeployments(
  query: NonNullable<Parameters<ToolContext['control']['listDeployments']>[0]['query']>,
  { control, signal }: ToolContext,
): Promise<readonly Deployment[]> {
  const { resources } = await asked(control.listDeployments({ query, signal }));
  if (!Array.isArray(resources)) throw noControlPlane();
  return resources;
}

/**
 * A revision by its id or number; the latest by default.
 * @throws Problem `not_found`
 */
export async function findRevision(
  { id: deployment_id, latest_revision_id }: Deployment,
  given: string | undefined,
  context: ToolContext,
): Promise<Revision> {
  const revision_id = given === undefined ? latest_revision_id : isUuid(given) ? given : null;
  const found =
    revision_id === null
      ? await findNumber(deployment_id, Number(given?.replace(/^#/, '')), context)
      : await readRevision({ deployment_id, revision_id }, context);
  if (found !== undefined) return found;
  throw new Problem('not_found', 'The deployment has no revision of that id or number.', {
    hint: 'Leave it out for the latest; list_deployments shows the latest and the active one.',
  });
}

/**
 * Newest first, so the distance from the latest number is the position; a few more are read, for revisions made
 * meanwhile.
 */
export async function findNumber(
  deployment_id: string,
  number: number,
  context: ToolContext,
): Promise<Revision | undefined> {
  if (!Number.isInteger(number) || number < 1) return undefined;
  const [latest] = await listRevisions(deployment_id, { limit: 1 }, context);
  if (latest === undefined || latest.number < number) return undefined;
  const near = await listRevisions(deployment_id, { limit: 5, offset: latest.number - number }, context);
  return near.find((one) => one.number === number);
}

export async function readRevision(
  params: { readonly deployment_id: string; readonly revision_id: string },
  { control, signal }: ToolContext,
): Promise<Revision | undefined> {
  return control.readRevision({ params, signal }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
}

/** Revisions, newest first. */
export async function listRevisions(
  deployment_id: string,
  query: NonNullable<Parameters<ToolContext['control']['listRevisions']>[0]['query']>,
  { control, signal }: ToolContext,
): Promise<readonly Revision[]> {
  return (await control.listRevisions({ params: { deployment_id }, query, signal })).resources;
}
