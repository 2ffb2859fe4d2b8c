import { randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { SecretBox } from '@roadstead/kit';
import { SESSION_S } from '../records/session-store.ts';
import { cookieOf } from './cookies.ts';

/** The people who are signed in, in a sealed cookie. Of a session, the server keeps no more than that it lasts. */

/** How long a page may be open on which nobody has signed in. */
const PAGE_S = 1800;
/** How long a browser is known to its users, whom guesses from elsewhere then do not lock out. */
const KNOWN_S = 365 * 86_400;
/** The limit that fits a cookie, which holds 4096 bytes. */
const MOST_KNOWN = 30;

const Session = z.object({
  /** A token in forms, so that only our own pages can post them. */
  form_token: z.string(),
  /** The session as the server keeps it; null before the first sign-in. */
  id: z.uuid().nullable(),
  /** The people who are signed in; empty before the first sign-in. */
  subjects: z.array(z.object({ id: z.string(), version: z.number() })),
  expires_ms: z.number(),
});
export type Session = z.output<typeof Session>;

/** A browser vouches for the people who signed in there, by their ids: others may have the same name. */
const KnownBrowser = z.object({ device_id: z.string(), ids: z.array(z.string()) });
export type KnownBrowser = z.output<typeof KnownBrowser>;

/** A sign-in at the company that is under way in this browser. */
const CompanyAttempt = z.object({ nonce: z.string(), verifier: z.string(), return_to: z.string() });
type CompanyAttempt = z.output<typeof CompanyAttempt>;
const COMPANY_S = 600;

export interface SessionCookies {
  /** Reads the session; a new one, with nobody signed in, where the cookie holds no valid one. */
  read(headers: Headers): Session;
  /** The cookie of a new session in which these are signed in; being new, nobody can have prepared it. */
  signedIn(session: Pick<Session, 'id' | 'subjects'>): string;
  /** The cookie of a new session in which nobody is signed in. */
  signedOut(): string;
  write(session: Session): string;
  /** Each tab has its own, by the state that the provider repeats. */
  attempt(state: string, attempt: CompanyAttempt): string;
  attemptOf(headers: Headers, state: string): CompanyAttempt | undefined;
  attemptEnded(state: string): string;
  /** Undefined for a browser in which nobody has signed in. */
  browserOf(headers: Headers): KnownBrowser | undefined;
  /** Adds the people who signed in here to those whom the browser knew. */
  known(ids: readonly string[], before: KnownBrowser | undefined): string;
}

export function createSessionCookies({
  secret_box,
  public_url,
  now,
}: {
  readonly secret_box: SecretBox;
  readonly public_url: string;
  readonly now: () => number;
}): SessionCookies {
  const is_secure = new URL(public_url).protocol === 'https:';
  const nameOf = (name: string) => `${is_secure ? '__Secure-' : ''}roadstead_${name}`;
  const cookie = (name: string, value: object, max_age_s: number) =>
    `${nameOf(name)}=${secret_box.seal(JSON.stringify(value), `cookie:${name}`)}; Path=/oauth; Max-Age=${max_age_s}; HttpOnly; SameSite=Lax${is_secure ? '; Secure' : ''}`;
  const opened = <T>(headers: Headers, name: string, schema: z.ZodType<T>): T | undefined => {
    const sealed = cookieOf(headers, nameOf(name));
    if (sealed === undefined) return undefined;
    try {
      return schema.parse(JSON.parse(secret_box.open(sealed, `cookie:${name}`)));
    } catch {
      // A cookie of another installation, cut off, or made up, counts as no session.
      return undefined;
    }
  };
  const fresh = (of: Pick<Session, 'id' | 'subjects'>): Session => ({
    ...of,
    form_token: randomBytes(16).toString('base64url'),
    expires_ms: now() + (of.id === null ? PAGE_S : SESSION_S) * 1000,
  });
  const nobody = () => fresh({ id: null, subjects: [] });
  const write = (session: Session) =>
    cookie('session', session, Math.max(0, Math.ceil((session.expires_ms - now()) / 1000)));
  return {
    read: (headers) => {
      const session = opened(headers, 'session', Session);
      return session === undefined || session.expires_ms <= now() ? nobody() : session;
    },
    signedIn: (session) => write(fresh(session)),
    signedOut: () => write(nobody()),
    write,
    attempt: (state, attempt) => cookie(attemptName(state), attempt, COMPANY_S),
    attemptOf: (headers, state) => opened(headers, attemptName(state), CompanyAttempt),
    attemptEnded: (state) => cookie(attemptName(state), {}, 0),
    browserOf: (headers) => opened(headers, 'known', KnownBrowser),
    known: (
      ids,
      { device_id, ids: before } = { device_id: randomBytes(16).toString('base64url'), ids: [] },
    ) => cookie('known', { device_id, ids: [...new Set([...ids, ...before])].slice(0, MOST_KNOWN) }, KNOWN_S),
  };
}

/** The state is random: a part of it distinguishes the tabs of a browser, and the seal binds the cookie to it. */
const attemptName = (state: string) => `company_${state.replaceAll(/[^\w-]/g, '').slice(0, 43)}`;

/** When a session began. */
export const beganAt = ({ expires_ms }: Session): number => expires_ms - SESSION_S * 1000;

/** Compares in constant time, which reveals nothing of how much was right. */
export function isSameToken(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
