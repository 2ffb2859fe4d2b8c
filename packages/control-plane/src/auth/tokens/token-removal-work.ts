import { Problem } from '@roadstead/kit';
import { type Claim, holdsClaim, takeClaim } from '../../claims/claim-store.ts';
import type { AuthContext } from '../auth-context.ts';
import { findProviderById, openProvider } from '../providers/provider-store.ts';
import { claimOf, TOKEN_NEWS } from './fresh-token-work.ts';
import { insertTokenEvent } from './token-event-store.ts';
import { deleteToken, openToken, type TokenRow } from './token-store.ts';

/**
 * Revokes a token at its provider, then deletes it here, no matter what the provider answered: a token that its user
 * deletes is not kept. Meanwhile it is not refreshed, so that no successor outlives it.
 */
export async function removeToken(
  context: AuthContext,
  { token, actor }: { readonly token: TokenRow; readonly actor: string },
): Promise<void> {
  await using claim = await waitForClaim(context, claimOf(token.id));
  const revocation = await revoke(context, token);
  await context.db.transaction(async (tx) => {
    if (!(await holdsClaim(tx, claim))) throw busy();
    if (await deleteToken(tx, token.id))
      await insertTokenEvent(tx, { token, event_type: 'deleted', source: actor, detail: { revocation } });
  });
}

/**
 * Revokes the refresh token where there is one, which ends the whole grant; a provider may not support that for an
 * access token.
 */
async function revoke({ db, secret_box, oauth }: AuthContext, token: TokenRow): Promise<string> {
  const [held, row] = [await openToken(db, secret_box, token), await findProviderById(db, token.provider)];
  if (held === undefined || row === undefined) return 'not_offered';
  const provider = openProvider(secret_box, row);
  const { access_token, refresh_token } = held;
  const outcomes = [
    ...(refresh_token === null ? [] : [await oauth.revoke(provider, refresh_token)]),
    await oauth.revoke(provider, access_token),
  ];
  return outcomes[0] ?? 'not_offered';
}

const WAITS = 60;
const WAIT_MS = 250;

async function waitForClaim(
  { db, notifier, stopping, instance_id }: AuthContext,
  name: string,
): Promise<Claim> {
  for (let wait = 0; wait < WAITS && !stopping.aborted; wait += 1) {
    const count = notifier.count(TOKEN_NEWS);
    const claim = await takeClaim(db, { name, owner: instance_id });
    if (claim !== undefined) return claim;
    await notifier.wait(TOKEN_NEWS, { count, ms: WAIT_MS }, stopping);
  }
  throw busy();
}

const busy = () =>
  new Problem('unavailable', 'The token is being refreshed at the moment.', { retry_after_s: 5 });
