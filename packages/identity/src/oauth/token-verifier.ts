import { createLocalJWKSet, errors, type JWK, jwtVerify } from 'jose';
import { isUuid } from '@roadstead/kit';
import type { TokenClaims } from '../credentials/access-token.ts';
import { mcpResource } from './request-rules.ts';
import type { SigningKey } from './keys/signing-key-work.ts';

/** The claims of a token that we signed, for us, and that has not expired. */
export async function verifyToken(
  token: string,
  {
    keys,
    public_url,
    now,
  }: { readonly keys: readonly SigningKey[]; readonly public_url: string; readonly now: () => number },
): Promise<TokenClaims | undefined> {
  try {
    const { payload } = await jwtVerify(
      token,
      createLocalJWKSet({ keys: keys.map(({ public_key }) => public_key as JWK) }),
      {
        issuer: public_url,
        audience: mcpResource(public_url),
        algorithms: ['EdDSA'],
        typ: 'at+jwt',
        requiredClaims: ['exp', 'grant_id', 'client_id'],
        currentDate: new Date(now()),
      },
    );
    const { grant_id, client_id, exp = 0 } = payload;
    if (typeof grant_id !== 'string' || !isUuid(grant_id) || typeof client_id !== 'string') return undefined;
    return { grant_id, client_id, expires_at: new Date(exp * 1000).toISOString() };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
