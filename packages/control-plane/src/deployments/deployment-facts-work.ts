import type { Queryable } from '@roadstead/postgres';
import type { Claim } from '../claims/claim-store.ts';
import { type AssignmentRow, findAssignment, isDone } from '../records/assignment-store.ts';
import { hasSource } from '../specs/artifact-rules.ts';
import { findRevision, listOpenRevisions, type RevisionRow } from '../records/revision-store.ts';
import type { DeploymentState } from './deployment-plan.ts';
import { type DeploymentRow, findDeployment } from '../records/deployment-store.ts';

/** All facts that decide a deployment's next action: the rows, and what is derived from them. */
export interface Facts {
  readonly deployment: DeploymentRow;
  readonly assignment: AssignmentRow;
  /** The revisions that have not reached an end. */
  readonly revisions: readonly RevisionRow[];
  readonly state: DeploymentState;
}

/** The input of an action in one pass of the loop. */
export interface Pass {
  readonly facts: Facts;
  readonly claim: Claim;
  readonly signal: AbortSignal;
}

/** Undefined when the deployment is gone. */
export async function findFacts(db: Queryable, id: string): Promise<Facts | undefined> {
  const deployment = await findDeployment(db, id);
  const assignment = await findAssignment(db, id);
  if (deployment === undefined || assignment === undefined) return undefined;
  const revisions = await listOpenRevisions(db, id);
  const latest = await findLatest(db, { deployment, revisions });
  return { deployment, assignment, revisions, state: stateOf({ deployment, assignment, latest, revisions }) };
}

async function findLatest(
  db: Queryable,
  { deployment, revisions }: Pick<Facts, 'deployment' | 'revisions'>,
): Promise<RevisionRow | undefined> {
  const { id: deployment_id, latest_revision_id: id } = deployment;
  if (id === null || revisions.length === 0) return undefined;
  return revisions.find((row) => row.id === id) ?? findRevision(db, { deployment_id, id });
}

function stateOf({
  deployment,
  assignment,
  latest,
  revisions,
}: Omit<Facts, 'state'> & { readonly latest: RevisionRow | undefined }): DeploymentState {
  return {
    latest: latest ?? null,
    status: deployment.status,
    has_project: deployment.tracer_session_id !== null,
    has_key: deployment.key_id !== null,
    keys_revoked: deployment.keys_revoked,
    delete_project: deployment.delete_tracing_project,
    purge_due: deployment.purge_due,
    revisions: revisions.map((row) => ({
      id: row.id,
      number: row.number,
      status: row.status,
      has_source: hasSource(row),
    })),
    assignment: {
      generation: assignment.generation,
      removed: assignment.removed,
      purge: assignment.purge,
      is_done: isDone(assignment),
    },
  };
}
