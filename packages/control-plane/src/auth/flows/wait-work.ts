import type { AuthWaitResponse } from '@roadstead/contracts/control-plane';
import { isUuid } from '@roadstead/kit';
import { type Caller, reachesFlow } from '../acting-rules.ts';
import type { AuthContext } from '../auth-context.ts';
import { freshToken } from '../tokens/fresh-token-work.ts';
import { findToken, listConnectedTokens, type TokenRow } from '../tokens/token-store.ts';
import { FLOW_NEWS } from './flow-rules.ts';
import { findFlow, type FlowRow } from './flow-store.ts';

/** How often a waiting call polls: other instances do not notify it. */
const LOOK_MS = 1000;
const notFound: AuthWaitResponse = { status: 'not_found', token: null };

/**
 * Waits until a flow ends, or the time is up. A flow that is not the caller’s is answered as not found, without an
 * error, as clients expect.
 */
export async function waitForFlow(
  context: AuthContext,
  wait: { readonly caller: Caller; readonly auth_id: string; readonly timeout_s: number },
  signal: AbortSignal,
): Promise<AuthWaitResponse> {
  const { db, notifier, stopping } = context;
  const { caller, auth_id, timeout_s } = wait;
  if (!isUuid(auth_id)) return notFound;
  const until = performance.now() + timeout_s * 1000;
  const ended = AbortSignal.any([signal, stopping]);
  for (;;) {
    const count = notifier.count(FLOW_NEWS);
    const flow = await findFlow(db, { workspace_id: caller.workspace_id, id: auth_id });
    if (flow === undefined || !reachesFlow(caller, flow) || flow.status === 'failed') return notFound;
    if (flow.status === 'completed') return tokenOf(context, flow);
    if (flow.is_over) return notFound;
    const left_ms = until - performance.now();
    if (ended.aborted || timeout_s === 0) return { status: 'pending', token: null };
    if (left_ms <= 0) return { status: 'timeout', token: null };
    await notifier.wait(FLOW_NEWS, { count, ms: Math.min(LOOK_MS, left_ms) }, ended);
  }
}

async function tokenOf(context: AuthContext, flow: FlowRow): Promise<AuthWaitResponse> {
  const token = await findUsable(context.db, flow);
  const fresh = token && (await freshToken(context, token));
  return fresh?.kind === 'token' ? { status: 'completed', token: fresh.access_token } : notFound;
}

/** An agent gets it only while it is connected: it may have been disconnected before a later call. */
async function findUsable(db: AuthContext['db'], flow: FlowRow): Promise<TokenRow | undefined> {
  const { workspace_id, oauth_token_id: id, agent_id } = flow;
  if (id === null) return undefined;
  if (agent_id === null) return findToken(db, { workspace_id, id });
  return (await listConnectedTokens(db, { ...flow, agent_id })).find((token) => token.id === id);
}
