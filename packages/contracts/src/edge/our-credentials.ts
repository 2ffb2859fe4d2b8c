import { ADDRESS_HEADER, ASSERTION_HEADER, REFUSAL_HEADER } from '../endpoints/access.ts';
import { CREDENTIAL_HEADERS } from './credentials.ts';

/**
 * Recognizes our credentials in a call by their form alone: a key as identity draws them, or an access token that it
 * signed. A deployment's code gets neither, wherever a caller has put it, but it gets the tokens of its own users
 * untouched. Pure.
 */

export const KEY_PREFIX = 'rs_';
/** 256 bits in base64url, also behind a word for its kind, such as `api-key-`. */
const KEY = /(?<![A-Za-z0-9])rs_[\w-]{43}(?![\w-])/;
/** The head of ours takes some 110 characters. Without a limit a text of many beginnings would be read once for each of them. */
const TOKENS = /(?<![A-Za-z0-9])eyJ[\w-]{1,256}\.eyJ[\w-]+\.[\w-]+/g;
/** Headers that hold nothing but a credential: there a key that an operator chose is recognized by its beginning. */
const ALONE = new Set<string>([...CREDENTIAL_HEADERS, 'authorization']);
const CHOSEN = new RegExp(`^(?:Bearer\\s+)?${KEY_PREFIX}`, 'i');
/** Headers that only the edge may set. */
const INTERNAL = [ASSERTION_HEADER, REFUSAL_HEADER, ADDRESS_HEADER].map((name) => [name, undefined] as const);
/** Headers that hold several values, with their separators. */
const LISTS: Readonly<Record<string, string>> = { cookie: ';', 'sec-websocket-protocol': ',' };

/** Whether a text holds a credential of ours, even encoded as in addresses or for `Authorization: Basic`. */
export function holdsOurs(text: string): boolean {
  const readings = new Set([text, unescaped(text), basic(text)]);
  return [...readings].some((read) => KEY.test(read) || (read.match(TOKENS) ?? []).some(isOurToken));
}

/** The value of a header as a deployment's code may see it; undefined where it may not see the header. */
export function headerForCode(name: string, value: string): string | undefined {
  const between = LISTS[name];
  if (between === undefined) {
    const isChosen = ALONE.has(name) && CHOSEN.test(value.trim());
    return isChosen || holdsOurs(value) ? undefined : value;
  }
  const kept = value.split(between).filter((one) => !holdsOurs(one));
  return kept.length === 0 ? undefined : kept.join(between).trim();
}

/** The headers that hold a credential of ours, each with what is left of it. */
export function headersToChange(headers: Headers): (readonly [name: string, left: string | undefined])[] {
  return [...headers].flatMap(([name, value]) => {
    const left = headerForCode(name, value);
    return left === value ? [] : [[name, left] as const];
  });
}

/** The headers of a call as a deployment’s code may see them. */
export function headersForCode(headers: Headers): Headers {
  const seen = new Headers(headers);
  for (const [name, left] of [...headersToChange(headers), ...INTERNAL])
    if (left === undefined) seen.delete(name);
    else seen.set(name, left);
  return seen;
}

/** An address, or the end of one, without our credentials in its query. */
export function addressForCode(address: string): string {
  const at = address.indexOf('?');
  if (at < 0) return address;
  const given = address.slice(at + 1).split('&');
  const kept = given.filter((pair) => !holdsOurs(pair.replaceAll('+', ' ')));
  if (kept.length === given.length) return address;
  return address.slice(0, at) + (kept.length === 0 ? '' : `?${kept.join('&')}`);
}

/** Whether a token has the claims that only identity writes: a grant and a workspace. */
function isOurToken(token: string): boolean {
  const [head, claims] = token.split('.', 2).map(decoded);
  return (
    head?.['typ'] === 'at+jwt' && claims?.['grant_id'] !== undefined && claims['workspace_id'] !== undefined
  );
}

function decoded(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Unescapes ASCII only: our credentials have no other characters, so invalid or other escapes hide none. */
const unescaped = (text: string) =>
  text.replaceAll(/%([0-7][\da-f])/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));

function basic(text: string): string {
  const encoded = /^Basic\s+([\w+/-]+={0,2})$/i.exec(text.trim())?.[1];
  return encoded === undefined ? text : Buffer.from(encoded, 'base64').toString();
}
