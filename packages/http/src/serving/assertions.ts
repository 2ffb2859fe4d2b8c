import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { type Audience, Principal } from '@roadstead/contracts';

/**
 * A signed assertion tells a service who calls: a compact JWS (RFC 7515) with EdDSA (RFC 8037), valid for 60 s and
 * for one audience. The edge signs it; services verify it with the public keys.
 */
export const ASSERTION_LIFETIME_S = 60;

export interface Signer {
  sign(principal: Principal, audience: Audience): string;
  /** JWK set (RFC 7517) of the public keys. */
  readonly public_keys: readonly JsonWebKey[];
}

/** A new private key as text, for the signer to keep. */
export function createSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Private keys as one text, in which they follow each other. */
export const keysInPem = (pem: string): string[] =>
  pem.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];

/**
 * @param pem private keys that follow each other: the first signs, and what any of them signed is good. For a change
 *   of keys each process knows the new one before one signs with it.
 */
export function createSigner(pem: string, now: () => number = Date.now): Signer {
  const [signing, ...others] = keysInPem(pem).map(keyPair);
  if (signing === undefined) throw new RangeError('There is no private key in PEM.');
  const header = encode({ alg: 'EdDSA', typ: 'JWT', kid: signing.jwk.kid });
  return {
    public_keys: [signing, ...others].map(({ jwk }) => jwk),
    sign(principal, audience) {
      const iat = Math.floor(now() / 1000);
      const body = `${header}.${encode({ iss: 'roadstead', aud: audience, iat, exp: iat + ASSERTION_LIFETIME_S, ...principal })}`;
      return `${body}.${sign(null, Buffer.from(body), signing.key).toString('base64url')}`;
    },
  };
}

function keyPair(pem: string) {
  const key = createPrivateKey(pem);
  const jwk = createPublicKey(key).export({ format: 'jwk' });
  const kid = createHash('sha256').update(JSON.stringify(jwk)).digest('hex').slice(0, 16);
  return { key, jwk: { ...jwk, kid, use: 'sig', alg: 'EdDSA' } };
}

/** The principal of an assertion that we signed, for this audience and not expired. */
export type Verifier = (assertion: string) => Principal | undefined | Promise<Principal | undefined>;

/** @param keys JWKs as `Signer.public_keys` gives them. */
export function createVerifier(
  keys: readonly JsonWebKey[],
  { audience, now = Date.now }: { readonly audience: Audience; readonly now?: () => number },
): (assertion: string) => Principal | undefined {
  const byId = new Map<unknown, KeyObject>(
    keys.map((jwk) => [jwk['kid'], createPublicKey({ key: jwk, format: 'jwk' })]),
  );
  const known = new Map<string, { principal: Principal; exp: number }>();
  return (assertion) => {
    const seen = known.get(assertion);
    if (seen !== undefined) return seen.exp * 1000 > now() ? seen.principal : undefined;
    const fresh = check(assertion, byId, audience);
    if (fresh === undefined || fresh.exp * 1000 <= now()) return undefined;
    if (known.size > 1000) known.clear();
    known.set(assertion, fresh);
    return fresh.principal;
  };
}

function check(assertion: string, keys: ReadonlyMap<unknown, KeyObject>, audience: Audience) {
  const [header = '', body = '', signature = ''] = assertion.split('.');
  const key = keys.get(decode(header)?.['kid']);
  if (key === undefined) return undefined;
  if (!verify(null, Buffer.from(`${header}.${body}`), key, Buffer.from(signature, 'base64url')))
    return undefined;
  const claims = decode(body);
  const principal = Principal.safeParse(claims);
  if (!principal.success || claims?.['aud'] !== audience) return undefined;
  const { exp, iat } = claims;
  // Without a numeric expiry it would never expire: `NaN` and `null` compare unpredictably.
  if (!Number.isFinite(exp) || !Number.isFinite(iat)) return undefined;
  return { principal: principal.data, exp: exp as number };
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function decode(part: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
