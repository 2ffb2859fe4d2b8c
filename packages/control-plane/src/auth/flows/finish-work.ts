import { Problem, uuidv7 } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import { type Caller, reachesFlow } from '../acting-rules.ts';
import type { AuthContext } from '../auth-context.ts';
import type { GrantedToken } from '../client/provider-client.ts';
import { isIssuer } from '../client/provider-rules.ts';
import type { ProviderUser } from '../keys.ts';
import { insertConnection } from '../connections/connection-store.ts';
import { findProviderById, openProvider, type ProviderRow } from '../providers/provider-store.ts';
import { insertTokenEvent } from '../tokens/token-event-store.ts';
import {
  clearDefault,
  findToken,
  hasDefault,
  insertToken,
  lockUserTokens,
  replaceToken,
  updateTokenMetadata,
} from '../tokens/token-store.ts';
import { FLOW_NEWS } from './flow-rules.ts';
import { advanceFlow, claimFlow, findFlowByState, type FlowRow } from './flow-store.ts';

/** Ends a flow: the provider’s parameters become a token. */

export interface CallbackParameters {
  readonly provider_id: string;
  readonly state: string;
  readonly iss?: string | null | undefined;
}

/**
 * A flow that waits for its end, and its provider.
 * @throws Problem
 */
export async function readOpenFlow(
  { db }: AuthContext,
  { provider_id, state, iss }: CallbackParameters,
): Promise<{ readonly flow: FlowRow; readonly provider: ProviderRow }> {
  const flow = await findFlowByState(db, { state, provider_id });
  const provider = flow && (await findProviderById(db, flow.provider));
  if (flow === undefined || provider === undefined || flow.status !== 'pending' || flow.is_over)
    throw noFlow();
  if (iss !== null && iss !== undefined && !isIssuer(provider, iss))
    throw new Problem('invalid', 'This answer is from another provider than the one that was asked.', {
      code: 'wrong_issuer',
    });
  return { flow, provider };
}

const noFlow = () =>
  new Problem('invalid', 'This request to connect is not known, was used already, or is too old.', {
    code: 'invalid_state',
    hint: 'Go back to where you came from, and begin again.',
  });

/**
 * @param returned.caller Undefined for the person who confirmed it on our own page, in the browser that the provider
 * returned.
 */
export async function finishFlow(
  context: AuthContext,
  {
    code,
    caller,
    ...returned
  }: CallbackParameters & { readonly code: string; readonly caller: Caller | undefined },
): Promise<FlowRow> {
  const { db, secret_box, oauth } = context;
  const { flow, provider } = await readOpenFlow(context, returned);
  if (caller !== undefined) checkCaller(caller, flow);
  const claimed = await claimFlow(db, secret_box, flow);
  if (claimed === undefined) throw noFlow();
  try {
    const answer = await oauth.exchange(openProvider(secret_box, provider), {
      code,
      redirect_uri: flow.redirect_uri,
      verifier: claimed.verifier,
    });
    if (answer.kind === 'refused')
      throw new Problem('invalid', `${provider.name} gives no token: ${answer.code}.`, { code: answer.code });
    await db.transaction((tx) => keepToken(tx, context, { flow, provider, answer }));
  } catch (error) {
    await failFlow(context, { flow, from: 'exchanging', failure: 'exchange_failed' });
    throw error;
  }
  context.notifier.notify(FLOW_NEWS);
  return flow;
}

function checkCaller(caller: Caller, flow: FlowRow): void {
  // Answered as if it did not exist: a state must not reveal anything about other workspaces.
  if (caller.workspace_id !== flow.workspace_id) throw noFlow();
  if (!reachesFlow(caller, flow))
    throw new Problem('forbidden', 'This flow was begun for a user that this key may not act for.');
}

export async function failFlow(
  { db, notifier }: AuthContext,
  {
    flow,
    from,
    failure,
  }: { readonly flow: FlowRow; readonly from: 'pending' | 'exchanging'; readonly failure: string },
): Promise<void> {
  await advanceFlow(db, { id: flow.id, from, to: 'failed', failure });
  notifier.notify(FLOW_NEWS);
}

async function keepToken(
  tx: Transaction,
  { secret_box }: AuthContext,
  { flow, provider, answer }: { flow: FlowRow; provider: ProviderRow; answer: GrantedToken },
): Promise<void> {
  const { workspace_id, user_id } = flow;
  const owner = { provider: provider.id, user_id };
  await lockUserTokens(tx, owner);
  const token = {
    access_token: answer.access_token,
    // Never the earlier token: it may be of another account.
    refresh_token: answer.refresh_token ?? null,
    scopes: answer.scopes ?? flow.scopes,
    asked_scopes: flow.scopes,
    expires_in_s: answer.expires_in_s ?? null,
    provider_account_label: answer.account_label,
    metadata: answer.metadata,
  };
  const replaced =
    flow.replaces !== null && (await replaceToken(tx, secret_box, { ...token, id: flow.replaces, user_id }));
  const id = replaced && flow.replaces !== null ? flow.replaces : uuidv7();
  if (!replaced)
    await insertToken(tx, secret_box, {
      ...token,
      ...owner,
      id,
      workspace_id,
      created_by: flow.initiator,
      is_default: false,
    });
  await chooseDefault(tx, { ...owner, id, is_wanted: flow.is_default && flow.agent_id === null });
  if (flow.agent_id !== null)
    await insertConnection(tx, {
      workspace_id,
      agent_id: flow.agent_id,
      deployment_id: flow.deployment_id,
      oauth_token_id: id,
      created_by: flow.initiator,
    });
  if (!(await advanceFlow(tx, { id: flow.id, from: 'exchanging', to: 'completed', oauth_token_id: id })))
    throw noFlow();
  const kept = await findToken(tx, { workspace_id, id });
  if (kept !== undefined)
    await insertTokenEvent(tx, {
      token: kept,
      event_type: 'connected',
      source: flow.initiator,
      agent_id: flow.agent_id,
    });
}

/** A token that an agent requested becomes the user’s default only where there is none. */
export async function chooseDefault(
  tx: Transaction,
  of: ProviderUser & { readonly id: string; readonly is_wanted: boolean },
): Promise<void> {
  if (!of.is_wanted && (await hasDefault(tx, of))) return;
  await clearDefault(tx, of);
  await updateTokenMetadata(tx, { id: of.id, provider_account_label: undefined, is_default: true });
}
