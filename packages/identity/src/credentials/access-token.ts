import { decodeProtectedHeader } from 'jose';

/** The claims of an access token that we issued. */
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
