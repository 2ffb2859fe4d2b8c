import { randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { SecretBox } from '@roadstead/kit';
import { cookieOf } from './cookies.ts';

/** Who is signed in, in a sealed cookie: nothing is kept here of a browser. */

const SESSION_S = 1800;
/** How long a browser is known for those who signed in there, and so spared from the guesses of others. */
const KNOWN_S = 365 * 86_400;
/** A cookie holds 4096 bytes. */
const MOST_KNOWN = 30;

const Session = z.object({
  /** Of forms, so that only our own pages can post them. */
  form_token: z.string(),
  /** Whoever is signed in; none before that. */
  subjects: z.array(z.object({ id: z.string(), version: z.number() })),
  expires_ms: z.number(),
});
export type Session = z.output<typeof Session>;

/** It vouches for those who signed in there, by their ids: others may have the same name. */
const KnownBrowser = z.object({ device_id: z.string(), ids: z.array(z.string()) });
export type KnownBrowser = z.output<typeof KnownBrowser>;

export interface SessionCookies {
  /** A new one, of nobody, where there is none that holds. */
  read(headers: Headers): Session;
  /** The cookie of a session in which these are signed in. A new one, so that nobody can have prepared it. */
  signedIn(subjects: Session['subjects']): string;
  write(session: Session): string;
  /** Undefined for a browser in which nobody has signed in. */
  browserOf(headers: Headers): KnownBrowser | undefined;
  /** Remembers beside those whom it knew who signed in here. */
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
      // Of another installation, cut off, or made up: as good as none.
      return undefined;
    }
  };
  const fresh = (subjects: Session['subjects']): Session => ({
    form_token: randomBytes(16).toString('base64url'),
    subjects,
    expires_ms: now() + SESSION_S * 1000,
  });
  const write = (session: Session) =>
    cookie('session', session, Math.max(0, Math.ceil((session.expires_ms - now()) / 1000)));
  return {
    read: (headers) => {
      const session = opened(headers, 'session', Session);
      return session === undefined || session.expires_ms <= now() ? fresh([]) : session;
    },
    signedIn: (subjects) => write(fresh(subjects)),
    write,
    browserOf: (headers) => opened(headers, 'known', KnownBrowser),
    known: (
      ids,
      { device_id, ids: before } = { device_id: randomBytes(16).toString('base64url'), ids: [] },
    ) => cookie('known', { device_id, ids: [...new Set([...ids, ...before])].slice(0, MOST_KNOWN) }, KNOWN_S),
  };
}

/** Compared without telling by the time it takes how much of it was right. */
export function isSameToken(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
