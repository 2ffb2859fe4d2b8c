import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import { type Claim, holdsClaim, takeClaim } from '../../claims/claim-store.ts';
import type { AuthContext } from '../auth-context.ts';
import type { GrantedToken, Refusal } from '../client/provider-client.ts';
import { findProviderById, openProvider } from '../providers/provider-store.ts';
import { insertTokenEvent } from './token-event-store.ts';
import { isFresh, isOver } from './token-rules.ts';
import { markBroken, openToken, recordRefresh, type TokenRow } from './token-store.ts';

/**
 * Provides a token that works, refreshed where needed: one refresh at a time, however many callers and instances
 * there are.
 */

export type Fresh =
  | { readonly kind: 'token'; readonly access_token: string }
  /** It can’t be refreshed: the user has to connect again. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'gone' };

/** Codes of several providers that mean that a refresh token is useless. */
const endings: readonly string[] = [
  'invalid_grant',
  'bad_refresh_token',
  'invalid_refresh_token',
  'token_revoked',
  'token_expired',
  'invalid_token',
  'access_denied',
  'consent_required',
  'interaction_required',
  'login_required',
];
const PATIENCE_MS = 30_000;
/** How often it polls whether another instance has finished. */
const LOOK_MS = 250;

/** The notifier’s name for all tokens: a name for each token would never be removed. */
export const TOKEN_NEWS = 'oauth-tokens';
export const claimOf = (token_id: string) => `oauth-token:${token_id}`;

/** @throws Problem where the provider is away, or refuses for a reason that is not the token’s */
export async function freshToken(context: AuthContext, token: TokenRow): Promise<Fresh> {
  const { db, secret_box } = context;
  const until = performance.now() + PATIENCE_MS;
  let found: number | undefined;
  for (;;) {
    const held = await openToken(db, secret_box, token);
    if (held === undefined) return { kind: 'gone' };
    if (held.broken_at !== null) return { kind: 'broken' };
    const { access_token, expires_at, version } = held;
    found ??= version;
    // A token that was renewed just now is as fresh as possible: some live for less than a minute.
    if (isFresh(expires_at, Date.now()) || version !== found) return { kind: 'token', access_token };
    if (held.refresh_token === null && !isOver(expires_at, Date.now()))
      return { kind: 'token', access_token };
    if (performance.now() > until)
      throw new Problem('unavailable', 'The token is still being refreshed.', {
        retry_after_s: 5,
      });
    try {
      await together(context, claimOf(token.id), () => renew(context, token));
    } catch (error) {
      // The last minute of a token is enough for many calls.
      if (error instanceof Problem && !isOver(expires_at, Date.now())) return { kind: 'token', access_token };
      throw error;
    }
  }
}

/** Callers of this instance share one attempt. */
async function together(
  { attempts }: AuthContext,
  name: string,
  attempt: () => Promise<void>,
): Promise<void> {
  const running = attempts.get(name) ?? attempt().finally(() => attempts.delete(name));
  attempts.set(name, running);
  return running;
}

/** One attempt, or a period of waiting for that of another instance. */
async function renew(context: AuthContext, token: TokenRow): Promise<void> {
  const { db, notifier, stopping, instance_id } = context;
  const name = claimOf(token.id);
  const count = notifier.count(TOKEN_NEWS);
  const claim = await takeClaim(db, { name, owner: instance_id });
  if (claim === undefined) return notifier.wait(TOKEN_NEWS, { count, ms: LOOK_MS }, stopping);
  try {
    await refresh(context, { token, claim });
  } finally {
    await claim[Symbol.asyncDispose]();
    notifier.notify(TOKEN_NEWS);
  }
}

async function refresh(
  context: AuthContext,
  { token, claim }: { readonly token: TokenRow; readonly claim: Claim },
): Promise<void> {
  const { db, secret_box, oauth } = context;
  const [held, row] = [await openToken(db, secret_box, token), await findProviderById(db, token.provider)];
  if (held === undefined || row === undefined || held.broken_at !== null) return;
  if (isFresh(held.expires_at, Date.now())) return;
  const { refresh_token, version } = held;
  const answer: GrantedToken | Refusal =
    refresh_token === null
      ? { kind: 'refused', code: 'token_expired' }
      : await oauth.refresh(openProvider(secret_box, row), refresh_token);
  // Nobody gets a token that is not recorded: a rotated one would be lost with this process.
  await db.transaction(async (tx) => {
    if (!(await holdsClaim(tx, claim))) return;
    if (answer.kind === 'refused')
      await noteRefusal(tx, { token, version, code: answer.code, name: row.name });
    else
      await recordRefresh(tx, secret_box, {
        id: token.id,
        version,
        access_token: answer.access_token,
        refresh_token: answer.refresh_token ?? refresh_token,
        expires_in_s: answer.expires_in_s ?? null,
        scopes: answer.scopes ?? null,
      });
  });
}

async function noteRefusal(
  tx: Transaction,
  of: { readonly token: TokenRow; readonly version: number; readonly code: string; readonly name: string },
): Promise<void> {
  const { token, version, code, name } = of;
  if (!endings.includes(code))
    throw new Problem('invalid', `${name} refuses to refresh the token: ${code}.`, {
      hint: 'Is the client that is registered here still known there?',
    });
  if (await markBroken(tx, { id: token.id, version }))
    await insertTokenEvent(tx, { token, event_type: 'reconnect_required', reason: code, source: 'refresh' });
}
