import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  sign,
} from 'node:crypto';
import { canonicalText } from '../../json/json-text.ts';

/** Signatures of agent cards: JWS (RFC 7515) by ES256 over canonical JSON (RFC 8785). */

/** A private key on the curve P-256, as a JSON Web Key. */
export type CardKey = JsonWebKey;

/** `AgentCardSignature` of the protocol. */
interface CardSignature {
  readonly protected: string;
  readonly signature: string;
}

export function createCardKey(): CardKey {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
}

/** An entry of a JSON Web Key Set. */
export type PublicCardKey = Readonly<Record<'kid' | 'alg' | 'use', string> & Record<string, unknown>>;

/** The key that verifies, as it is published; its id is its thumbprint (RFC 7638). */
export function publicCardKey(key: CardKey): PublicCardKey {
  const { kty, crv, x, y } = createPublicKey(createPrivateKey({ key, format: 'jwk' })).export({
    format: 'jwk',
  });
  const kid = createHash('sha256').update(canonicalText({ crv, kty, x, y })).digest('base64url');
  return { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' };
}

/**
 * Signs each form in which a client may read one of these views of a card. A verifier accepts any signature that fits what
 * it has read.
 */
export function signCard(
  views: readonly object[],
  { key, jku }: { readonly key: CardKey; readonly jku: string },
): readonly CardSignature[] {
  const header = base64url(JSON.stringify({ alg: 'ES256', typ: 'JOSE', kid: publicCardKey(key).kid, jku }));
  const private_key = createPrivateKey({ key, format: 'jwk' });
  return [...new Set(views.flatMap(canonicalForms))].map((form) => ({
    protected: header,
    signature: sign('sha256', Buffer.from(`${header}.${base64url(form)}`), {
      key: private_key,
      dsaEncoding: 'ieee-p1363',
    }).toString('base64url'),
  }));
}

/**
 * The forms in which verifiers may canonicalize a card: unchanged; as the specification says, without empty fields that
 * the protocol does not require (of our cards, the scopes of a requirement); as the official clients do, without any
 * empty field; and as the Python client for 0.3 does, which also escapes what is not ASCII.
 */
function canonicalForms(view: object): string[] {
  const forms = [without(view, isAbsent), without(view, isEmptyList), without(view, isEmpty)];
  const texts = forms.map(canonicalText);
  return [...texts, ...texts.slice(-1).map(inAscii)];
}

const inAscii = (text: string) =>
  text.replaceAll(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

const isAbsent = (value: unknown) => value === undefined;
const isEmptyList = (value: unknown, name: string) => isAbsent(value) || (name === 'list' && isEmpty(value));
const isEmpty = (value: unknown) =>
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Removes dropped members and elements from a value, innermost first. */
function without(value: unknown, drops: (value: unknown, name: string) => boolean): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => without(one, drops)).filter((one) => !drops(one, ''));
  const left = Object.entries(value).map(([name, inner]) => [name, without(inner, drops)] as const);
  return Object.fromEntries(left.filter(([name, inner]) => !drops(inner, name)));
}

const base64url = (text: string) => Buffer.from(text).toString('base64url');
