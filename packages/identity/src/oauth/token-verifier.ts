import { createLocalJWKSet, decodeProtectedHeader, errors, type JWK, jwtVerify } from 'jose';
import { isUuid } from '@roadstead/kit';
import { mcpResource } from './request-rules.ts';
import type { SigningKey } from './keys/signing-key-work.ts';

export interface TokenClaims {
  readonly grant_id: string;
  readonly client_id: string;
  readonly expires_at: string;
}

/** Whether a credential is written as one of our access tokens, and not as an API key. */
export function looksLikeToken(credential: string): boolean {
  if (!credential.startsWith('eyJ')) return false;
  try {
    return decodeProtectedHeader(credential).typ === 'at+jwt';
  } catch {
    return false;
  }
}

/** Of a token that we signed, for us, and not over. */
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
