import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { useSession } from '../records/session-store.ts';
import { type Session, type SessionCookies, createSessionCookies } from './session-cookie.ts';
import { beginSession, type EndOfSessions, endSessions } from './session-work.ts';
import { type SignInCredentials, signIn } from './sign-in-work.ts';
import { findSubject, type Subject } from '../records/subject-work.ts';

/** A person who looks at a page. */
export interface Visitor {
  readonly session: Session;
  /** The signed-in subjects, one for each workspace that they reach; empty before the first sign-in. */
  readonly subjects: readonly Subject[];
}

/** A session that has just begun. */
interface BegunSession {
  readonly session_id: string;
  readonly subjects: readonly Subject[];
  readonly cookies: readonly string[];
}

export interface Visitors {
  readonly public_url: string;
  /** The name of the company’s sign-in, where there is one. */
  readonly company_name: string | undefined;
  readonly cookies: SessionCookies;
  read(headers: Headers): Promise<Visitor>;
  /** Signs in. @throws Problem as `signIn` does */
  signIn(
    fields: URLSearchParams,
    from: { readonly headers: Headers; readonly address: string },
  ): Promise<BegunSession>;
  /** Signs these in, whoever was signed in in the browser before. */
  begin(subjects: readonly Subject[], headers: Headers): Promise<BegunSession>;
  /** Signs out. @returns the cookie of a session of nobody. */
  signOut(session: Pick<Session, 'id'>): Promise<string>;
  /** Ends sessions, of other browsers too. */
  end(ended: EndOfSessions): Promise<void>;
}

type VisitorsOptions = Parameters<typeof createSessionCookies>[0] & {
  readonly db: Database;
  readonly company: { readonly name: string } | undefined;
  /** An edge of the same process forgets at once what the console was given. */
  readonly forgetTokens: () => void;
};

export function createVisitors({ db, company, forgetTokens, ...options }: VisitorsOptions): Visitors {
  const cookies = createSessionCookies(options);
  const begin: Visitors['begin'] = async (subjects, headers) => {
    const browser = cookies.browserOf(headers);
    const { id: before } = cookies.read(headers);
    const ids = subjects.map(({ id }) => id);
    const session_id = await beginSession(db, { subjects: ids, before });
    if (before !== null) forgetTokens();
    const are_known = ids.every((id) => browser?.ids.includes(id));
    return {
      session_id,
      subjects,
      cookies: [
        cookies.signedIn({ id: session_id, subjects: subjects.map(({ id, version }) => ({ id, version })) }),
        ...(are_known ? [] : [cookies.known(ids, browser)]),
      ],
    };
  };
  const end: Visitors['end'] = async (ended) => {
    await endSessions(db, ended);
    forgetTokens();
  };
  return {
    public_url: options.public_url,
    company_name: company?.name,
    cookies,
    read: async (headers) => {
      const session = cookies.read(headers);
      if (session.id === null || !(await useSession(db, session.id)))
        return { session: { ...session, id: null, subjects: [] }, subjects: [] };
      const found = await Promise.all(session.subjects.map(({ id }) => findSubject(db, id)));
      // The key may have been revoked, the user removed or the password changed since.
      const subjects = found.filter((one, at) => one?.version === session.subjects[at]?.version);
      return { session, subjects: subjects.filter((one) => one !== undefined) };
    },
    begin,
    signIn: async (fields, { headers, address }) => {
      const shown = shownIn(fields);
      const subjects = await signIn(db, { shown, address, browser: cookies.browserOf(headers) });
      return begin(subjects, headers);
    },
    signOut: async ({ id }) => {
      if (id !== null) await end({ session_ids: [id], subjects: [] });
      return cookies.signedOut();
    },
    end,
  };
}

function shownIn(fields: URLSearchParams): SignInCredentials {
  const key = fields.get('key');
  if (key !== null && key.trim() !== '') return { key };
  const [name, password] = [fields.get('name') ?? '', fields.get('password') ?? ''];
  if (name.trim() === '' || password === '')
    throw new Problem('invalid', 'Enter a name and a password, or an API key.');
  return { name, password };
}
