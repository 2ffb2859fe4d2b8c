import { ApiError } from '@roadstead/contracts';
import type { StatusReason } from '@roadstead/contracts/control-plane';
import { again, isOutage, type PassResult } from '@roadstead/kit';
import { holdsClaim } from '../claims/claim-store.ts';
import type { Context } from '../context/context.ts';
import { SERVICE_ACTOR } from '../events/event-store.ts';
import { advanceRevision, setReason, type RevisionRow } from '../records/revision-store.ts';
import type { Pass } from './deployment-facts-work.ts';
import {
  forgetKey,
  forgetTracingProject,
  keyRowOf,
  lockDeployment,
  setKey,
  setTracingProject,
} from '../records/deployment-store.ts';

/**
 * Actions that call another service. Each can be repeated after a kill at any moment: anything created without being
 * recorded is found and replaced.
 */

const NEXT = again(0);
const AWAY_MS = 2000;
const CALL_MS = 15_000;

const deadline = ({ signal }: Pass) => AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]);

/** The tracing project with the deployment's name: created, or adopted where it exists. */
export async function makeProject(
  context: Context,
  pass: Pass,
  { revision_id }: { readonly revision_id: string },
): Promise<PassResult> {
  const { deployment, revisions } = pass.facts;
  const revision = revisions.find((one) => one.id === revision_id);
  if (revision === undefined) return NEXT;
  const client = context.clients.observability(deployment.workspace_id);
  const asked = client.createSession({
    query: { upsert: 'true' },
    body: { name: deployment.name, extra: { metadata: { deployment_id: deployment.id } } },
    signal: deadline(pass),
  });
  const project = await asked.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 409) return undefined;
    if (isOutage(error)) return 'away' as const;
    throw error;
  });
  if (project === 'away') {
    // A revision that waits for its source has a better reason to wait.
    if (revision.status_reason === null)
      await context.db.transaction((tx) => setReason(tx, { revision, reason: tracingAway }));
    return again(AWAY_MS);
  }
  if (project === undefined || (project.reference_dataset_id ?? null) !== null) {
    await refuse(context, pass, revision);
    return NEXT;
  }
  await context.db.transaction(async (tx) => {
    await setTracingProject(tx, { id: deployment.id, session_id: project.id });
    if (revision.status_reason?.code === tracingAway.code) await setReason(tx, { revision, reason: null });
  });
  return NEXT;
}

async function refuse(context: Context, pass: Pass, revision: RevisionRow): Promise<void> {
  const { deployment } = pass.facts;
  await context.db.transaction(async (tx) => {
    const held = await lockDeployment(tx, deployment.id);
    if (held === undefined) return;
    await advanceRevision(held.tx, {
      workspace_id: deployment.workspace_id,
      revision,
      to: 'CREATE_FAILED',
      actor: SERVICE_ACTOR,
      reason: {
        phase: 'queue',
        code: 'name_is_an_experiment',
        message: `The tracing project of the deployment must have its name, and ${deployment.name} is an experiment of a dataset.`,
        hint: 'Rename or delete the experiment and change the deployment, or create one of another name.',
      },
    });
  });
}

/** The deployment's own tracing key; a key that was created without being recorded is revoked first. */
export async function makeKey(context: Context, pass: Pass): Promise<PassResult> {
  const { deployment } = pass.facts;
  const signal = deadline(pass);
  await revokeAll(context, pass, signal);
  const made = await context.clients.identity(deployment.workspace_id).createDeploymentKey({
    body: {
      name: `deployment ${deployment.name}`,
      scopes: ['traces:write', 'prompts:read', 'connections:use'],
      deployment_id: deployment.id,
    },
    signal,
  });
  const sealed = context.secret_box.seal(made.key, keyRowOf(deployment.id));
  // Without the claim the key stays unrecorded; the claim's next holder revokes it.
  await context.db.transaction(async (tx) => {
    const held = await lockDeployment(tx, deployment.id);
    if (held?.deployment.key_id === null && (await holdsClaim(tx, pass.claim)))
      await setKey(held.tx, deployment.id, { id: made.id, sealed });
  });
  return NEXT;
}

export async function revokeKeys(context: Context, pass: Pass): Promise<PassResult> {
  await revokeAll(context, pass, deadline(pass));
  await context.db.transaction((tx) => forgetKey(tx, pass.facts.deployment.id));
  return NEXT;
}

async function revokeAll(context: Context, { facts }: Pass, signal: AbortSignal): Promise<void> {
  const { id: deployment_id, workspace_id } = facts.deployment;
  const client = context.clients.identity(workspace_id);
  const { items } = await client.listApiKeys({ query: { deployment_id, page_size: 100 }, signal });
  for (const { id } of items) await unlessGone(client.deleteApiKey({ params: { key_id: id }, signal }));
}

export async function deleteProject(context: Context, pass: Pass): Promise<PassResult> {
  const { id, workspace_id, tracer_session_id } = pass.facts.deployment;
  if (tracer_session_id !== null) {
    const client = context.clients.observability(workspace_id);
    try {
      await unlessGone(
        client.deleteSession({ params: { session_id: tracer_session_id }, signal: deadline(pass) }),
      );
    } catch (error) {
      if (isOutage(error)) return again(AWAY_MS);
      throw error;
    }
  }
  await context.db.transaction((tx) => forgetTracingProject(tx, id));
  return NEXT;
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  });
}

const tracingAway: StatusReason = {
  phase: 'queue',
  code: 'tracing_unavailable',
  message: 'Waits for the observability service, which makes the tracing project of the deployment.',
};
