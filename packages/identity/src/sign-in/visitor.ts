import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { type Session, type SessionCookies, createSessionCookies } from './session-cookie.ts';
import { type SignInCredentials, signIn } from './sign-in-work.ts';
import { findSubject, type Subject } from '../records/subject-work.ts';

/** A person who looks at a page. */
export interface Visitor {
  readonly session: Session;
  /** The signed-in subjects, one for each workspace that they reach; empty before the first sign-in. */
  readonly subjects: readonly Subject[];
}

export interface Visitors {
  readonly public_url: string;
  readonly cookies: SessionCookies;
  read(headers: Headers): Promise<Visitor>;
  /** Signs in. @returns the cookies. @throws Problem as `signIn` does */
  signIn(
    fields: URLSearchParams,
    from: { readonly headers: Headers; readonly address: string },
  ): Promise<string[]>;
}

type VisitorsOptions = Parameters<typeof createSessionCookies>[0] & { readonly db: Database };

export function createVisitors({ db, ...options }: VisitorsOptions): Visitors {
  const cookies = createSessionCookies(options);
  return {
    public_url: options.public_url,
    cookies,
    read: async (headers) => {
      const session = cookies.read(headers);
      const found = await Promise.all(session.subjects.map(({ id }) => findSubject(db, id)));
      // The key may have been revoked, the user removed or the password changed since.
      const subjects = found.filter((one, at) => one?.version === session.subjects[at]?.version);
      return { session, subjects: subjects.filter((one) => one !== undefined) };
    },
    signIn: async (fields, { headers, address }) => {
      const shown = shownIn(fields);
      const browser = cookies.browserOf(headers);
      const subjects = await signIn(db, { shown, address, browser });
      const ids = subjects.map(({ id }) => id);
      const are_known = ids.every((id) => browser?.ids.includes(id));
      return [
        cookies.signedIn(subjects.map(({ id, version }) => ({ id, version }))),
        ...(are_known ? [] : [cookies.known(ids, browser)]),
      ];
    },
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
