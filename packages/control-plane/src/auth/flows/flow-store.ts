import { createHash } from 'node:crypto';
import { mayFollow } from '@roadstead/contracts';
import type { SecretBox } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import { type FlowStatus, flowSteps } from './flow-rules.ts';
import type { RowKey } from '../../records/keys.ts';

export interface FlowRow {
  readonly id: string;
  readonly workspace_id: string;
  /** The id of the provider’s row. */
  readonly provider: string;
  readonly redirect_uri: string;
  readonly user_id: string;
  readonly initiator: string;
  readonly deployment_id: string | null;
  readonly agent_id: string | null;
  readonly scopes: readonly string[];
  readonly is_default: boolean;
  readonly replaces: string | null;
  readonly status: FlowStatus;
  readonly failure: string | null;
  readonly oauth_token_id: string | null;
  readonly is_over: boolean;
}

const LIFETIME = `interval '10 minutes'`;
const columns = `id, workspace_id, provider, redirect_uri, user_id, initiator, deployment_id, agent_id, scopes, is_default,
  replaces, status, failure, oauth_token_id, expires_at <= now() as is_over`;

/** Hashed, so that the database alone does not suffice to end a flow. */
const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest();
const verifierRow = (id: string) => `oauth-flow:${id}`;

export type NewFlow = Omit<FlowRow, 'status' | 'failure' | 'oauth_token_id' | 'is_over'> & {
  readonly state: string;
  readonly verifier: string | undefined;
};

export async function insertFlow(db: Queryable, box: SecretBox, flow: NewFlow): Promise<void> {
  const { verifier } = flow;
  await db.run(
    `insert into oauth_flows (id, workspace_id, provider, state_hash, verifier, redirect_uri, user_id, initiator,
       deployment_id, agent_id, scopes, is_default, replaces, status, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'pending', now() + ${LIFETIME})`,
    [
      flow.id,
      flow.workspace_id,
      flow.provider,
      hashOf(flow.state),
      verifier === undefined ? null : box.seal(verifier, verifierRow(flow.id)),
      flow.redirect_uri,
      flow.user_id,
      flow.initiator,
      flow.deployment_id,
      flow.agent_id,
      flow.scopes,
      flow.is_default,
      flow.replaces,
    ],
  );
}

export async function findFlow(db: Queryable, { workspace_id, id }: RowKey): Promise<FlowRow | undefined> {
  return db.maybe<FlowRow>(`select ${columns} from oauth_flows where workspace_id = $1 and id = $2`, [
    workspace_id,
    id,
  ]);
}

/** Finds the flow of a provider with this name; it may be used up or expired. */
export async function findFlowByState(
  db: Queryable,
  { state, provider_id }: { readonly state: string; readonly provider_id: string },
): Promise<FlowRow | undefined> {
  return db.maybe<FlowRow>(
    `select ${columns} from oauth_flows
     where state_hash = $1 and provider in (select p.id from oauth_providers p where p.provider_id = $2)`,
    [hashOf(state), provider_id],
  );
}

/** The name of the asking agent, for the page on which a person decides. */
export async function findAgentName(
  db: Queryable,
  { workspace_id, deployment_id }: Pick<FlowRow, 'workspace_id' | 'deployment_id'>,
): Promise<string | undefined> {
  const row = await db.maybe<{ name: string }>(
    'select name from deployments where workspace_id = $1 and id = $2',
    [workspace_id, deployment_id],
  );
  return row?.name;
}

/**
 * The PKCE verifier of a flow that nobody else has finished, handed out once; undefined where there is nothing to
 * finish.
 */
export async function claimFlow(
  db: Queryable,
  box: SecretBox,
  { id }: Pick<FlowRow, 'id'>,
): Promise<{ readonly verifier: string | undefined } | undefined> {
  const row = await db.maybe<{ verifier: string | null }>(
    `update oauth_flows set status = 'exchanging' where id = $1 and status = 'pending' and expires_at > now()
     returning verifier`,
    [id],
  );
  if (row === undefined) return undefined;
  return { verifier: row.verifier === null ? undefined : box.open(row.verifier, verifierRow(id)) };
}

/** Compare-and-set; answers whether it was at `from`. */
export async function advanceFlow(
  db: Queryable | Transaction,
  step: {
    readonly id: string;
    readonly from: FlowStatus;
    readonly to: FlowStatus;
    readonly failure?: string;
    readonly oauth_token_id?: string;
  },
): Promise<boolean> {
  if (!mayFollow(flowSteps, step.from, step.to))
    throw new Error(`A flow does not go from ${step.from} to ${step.to}.`);
  const advanced = await db.run(
    `update oauth_flows set status = $3, failure = $4, oauth_token_id = $5, verifier = null
     where id = $1 and status = $2`,
    [step.id, step.from, step.to, step.failure ?? null, step.oauth_token_id ?? null],
  );
  return advanced === 1;
}

/** Removes flows whose callers stopped waiting long ago. */
export async function removeOldFlows(db: Queryable): Promise<void> {
  await db.run(`delete from oauth_flows where expires_at < now() - interval '1 day'`);
}
