import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from 'oauth4webapi';
import type { AuthenticateRequest, AuthenticateResponse } from '@roadstead/contracts/control-plane';
import { Problem, randomToken } from '@roadstead/kit';
import { type Caller, userOf } from '../acting-rules.ts';
import { type AuthContext, redirectAddressOf } from '../auth-context.ts';
import { authorizationUrl } from '../client/provider-rules.ts';
import type { AgentKey } from '../keys.ts';
import { type ProviderRow, readProvider } from '../providers/provider-store.ts';
import { freshToken } from '../tokens/fresh-token-work.ts';
import { type Answer, answerTo } from '../tokens/token-rules.ts';
import { listConnectedTokens, listTokens, type TokenRow } from '../tokens/token-store.ts';
import { insertFlow } from './flow-store.ts';

/** Answers a user’s token for an agent, or the address at which the user may grant it. */

interface AuthenticateCall {
  readonly caller: Caller;
  readonly request: AuthenticateRequest;
}

type HeldToken = TokenRow & { readonly agents?: number };

export async function authenticate(
  context: AuthContext,
  { caller, request }: AuthenticateCall,
): Promise<AuthenticateResponse> {
  const { workspace_id } = caller;
  const provider = await readProvider(context.db, { workspace_id, provider_id: request.provider });
  checkAsked(context, request);
  const user_id = userOf(caller, request.user_id ?? request.ls_user_id);
  const agent = agentOf(caller, request.agent_id);
  for (;;) {
    const answer = await decide(context, { request, provider, user_id, agent });
    if (answer.kind === 'unknown') throw new Problem('not_found', 'This user has no such token.');
    if (answer.kind === 'ask') return begin(context, { caller, request, provider, user_id, agent, answer });
    const fresh = await freshToken(context, answer.token);
    if (fresh.kind === 'token')
      return {
        status: 'completed',
        token: fresh.access_token,
        user_id,
        metadata: answer.token.metadata,
        url: null,
        auth_id: null,
      };
    // The token was broken or deleted just now; the next look sees that.
  }
}

function checkAsked(context: AuthContext, request: AuthenticateRequest): void {
  if (request.use_agent_builder_public_oauth)
    throw new Problem('invalid', 'This Roadstead has no OAuth clients of its own.', {
      hint: 'Register the provider by POST /v2/auth/providers.',
    });
  const { redirect_uri } = request;
  const own = redirectAddressOf(context, request.provider);
  if (redirect_uri !== null && redirect_uri !== undefined && redirect_uri !== own)
    throw new Problem('invalid', `redirect_uri can only be ${own}.`);
}

/** The agent that a token is for; undefined for a caller that acts for itself. */
function agentOf({ deployment_id }: Caller, agent_id: AuthenticateRequest['agent_id']): AgentKey | undefined {
  const named = agent_id ?? deployment_id;
  return named === undefined ? undefined : { agent_id: named, deployment_id: deployment_id ?? null };
}

interface About {
  readonly request: AuthenticateRequest;
  readonly provider: ProviderRow;
  readonly user_id: string;
  readonly agent: AgentKey | undefined;
}

async function decide({ db }: AuthContext, about: About): Promise<Answer<HeldToken>> {
  const { request, provider, user_id, agent } = about;
  const { workspace_id, provider_id } = provider;
  const own: HeldToken[] = await listTokens(db, { workspace_id, provider_id, whose: { user_id } });
  const usable =
    agent === undefined ? own : await listConnectedTokens(db, { provider: provider.id, user_id, ...agent });
  return answerTo({
    scopes: request.scopes,
    token_id: request.token_id ?? null,
    force_new: request.force_new,
    usable,
    unconnected: own.filter(({ id }) => !usable.some((token) => token.id === id)),
  });
}

async function begin(
  context: AuthContext,
  asked: AuthenticateCall & About & { readonly answer: Answer<HeldToken> & { readonly kind: 'ask' } },
): Promise<AuthenticateResponse> {
  const { caller, request, provider, user_id, agent, answer } = asked;
  const { replaces } = answer;
  // A token that other agents use as well isn’t widened for one of them.
  const isShared = answer.status === 'pending' && (replaces?.agents ?? 0) > 1;
  const state = randomToken(32);
  const verifier = provider.uses_pkce ? generateRandomCodeVerifier() : undefined;
  const redirect_uri = redirectAddressOf(context, provider.provider_id);
  const auth_id = crypto.randomUUID();
  await insertFlow(context.db, context.secret_box, {
    id: auth_id,
    workspace_id: caller.workspace_id,
    provider: provider.id,
    state,
    verifier,
    redirect_uri,
    user_id,
    initiator: caller.actor,
    deployment_id: agent?.deployment_id ?? null,
    agent_id: agent?.agent_id ?? null,
    scopes: answer.scopes,
    is_default: request.is_default,
    replaces: isShared ? null : (replaces?.id ?? null),
  });
  const url = authorizationUrl({
    provider,
    redirect_uri,
    state,
    challenge: verifier === undefined ? undefined : await calculatePKCECodeChallenge(verifier),
    scopes: answer.scopes,
  });
  return { status: answer.status, url, auth_id, token: null, user_id, metadata: null };
}
