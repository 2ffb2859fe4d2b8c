import type { Audience, Client, Principal } from '@roadstead/contracts';
import type { IdentityContract } from '@roadstead/contracts/identity';
import { createVerifier, type Verifier } from '@roadstead/http';
import { Problem } from '@roadstead/kit';

/** Keys are read again after this time, so that a withdrawn one is no longer trusted. */
const FRESH_MS = 600_000;
/** Invalid assertions cause at most one request in this time. */
const AGAIN_MS = 10_000;

interface FetchedKeys {
  readonly at: number;
  readonly verify: (assertion: string) => Principal | undefined;
}

/**
 * Verifies assertions with the keys that identity publishes. They are read at first use, then from time to time, and
 * whenever an assertion is not valid, since identity may have a new key. During an outage of identity the last keys
 * stay valid.
 */
export function createFetchingVerifier(
  identity: Pick<Client<IdentityContract>, 'readSigningKeys'>,
  audience: Audience,
  { now = Date.now }: { readonly now?: () => number } = {},
): Verifier {
  let fetched: FetchedKeys | undefined;
  let asking: Promise<void> | undefined;
  let asked_at = -Infinity;
  const ask = async () => {
    asked_at = now();
    const { keys } = await identity.readSigningKeys({});
    fetched = { at: now(), verify: createVerifier(keys, { audience, now }) };
  };
  /** Concurrent calls share one request. */
  const refresh = () =>
    (asking ??= ask()
      .catch((cause: unknown) => {
        if (fetched === undefined)
          throw new Problem('unavailable', 'Callers can’t be verified right now; try again.', {
            cause,
            retry_after_s: 1,
          });
      })
      .finally(() => (asking = undefined)));
  return async (assertion) => {
    if (fetched === undefined) await refresh();
    else if (now() - fetched.at > FRESH_MS && now() - asked_at > AGAIN_MS) await refresh();
    const principal = fetched?.verify(assertion);
    if (principal !== undefined) return principal;
    // What is being asked may have the new key.
    if (asking === undefined && now() - asked_at <= AGAIN_MS) return undefined;
    await refresh();
    return fetched?.verify(assertion);
  };
}
