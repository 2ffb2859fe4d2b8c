import type { sessions } from '@roadstead/contracts/identity';
import { credentialOf } from '@roadstead/contracts';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { isOwnForm } from '@roadstead/pages';
import type { Database } from '@roadstead/postgres';
import { looksLikeToken } from '../credentials/access-token.ts';
import type { VerifyToken } from '../credentials/credentials.ts';
import { signInLinkPage } from '../pages/sign-in-link-page.ts';
import { findGrant } from '../records/grant-store.ts';
import { recordSignIn } from '../records/user-store.ts';
import { goTo, orErrorPage, pageAnswer } from './answers.ts';
import { readForm, readOptionalForm } from './form.ts';
import { consolePathOf, isOpenedByHand } from './sign-in-link-rules.ts';
import { makeSignInLink, readSignInLink, spendLink } from './sign-in-link-work.ts';
import type { Visitors } from './visitor.ts';

export interface SessionRoutesOptions {
  readonly db: Database;
  readonly visitors: Visitors;
  readonly verifyToken: VerifyToken;
}

const LINK = '/oauth/sign-in/';

export function sessionHandlers(options: SessionRoutesOptions): Handlers<typeof sessions> {
  const { db, visitors } = options;
  const { public_url } = visitors;
  const enter = async (code: string, { to, headers }: { to: string | undefined; headers: Headers }) => {
    const { subjects } = await visitors.read(headers);
    const subject = await spendLink(db, code);
    const console_page = consolePathOf(to, public_url);
    // A console that is open in another tab goes on.
    if (subjects.some(({ id }) => id === subject.id)) return goTo(console_page);
    if (subject.id.startsWith('user:')) await recordSignIn(db, [subject.id.slice('user:'.length)]);
    const { cookies } = await visitors.begin([subject], headers);
    return goTo(console_page, cookies);
  };
  return {
    readSession: async ({ request }) => {
      const { subjects } = await visitors.read(request.headers);
      return {
        signed_in: subjects.map(({ id: subject, name, workspace, scopes }) => ({
          subject,
          name,
          workspace,
          scopes: [...scopes],
        })),
      };
    },
    signOut: async ({ request }) => signOut(request, options),
    createSignInLink: async ({ principal: caller }) => {
      const { code, expires_at } = await makeSignInLink(db, caller);
      return { url: `${public_url}${LINK}${code}`, expires_at };
    },
    openSignInLink: async ({ params, query, request: { headers } }) =>
      orErrorPage(async () => {
        const { code } = params;
        const asked = await readSignInLink(db, code);
        const { session, subjects } = await visitors.read(headers);
        const [other] = subjects;
        if (isOpenedByHand(headers) && (other === undefined || subjects.some(({ id }) => id === asked.id)))
          return enter(code, { to: query.to, headers });
        const to = query.to === undefined ? '' : `?${new URLSearchParams({ to: query.to }).toString()}`;
        return pageAnswer(
          signInLinkPage({
            action: `${LINK}${encodeURIComponent(code)}${to}`,
            form_token: session.form_token,
            name: asked.name,
            workspace_name: asked.workspace.name,
            signed_in_as: other?.name,
          }),
          { cookies: [visitors.cookies.write(session)] },
        );
      }),
    submitSignInLink: async ({ params, query, request }) =>
      orErrorPage(async () => {
        const { headers } = request;
        const { session } = await visitors.read(headers);
        await readForm(request, { ...visitors, ...session });
        return enter(params.code, { to: query.to, headers });
      }),
  };
}

/** Ends this browser's session, or that of a token of the console; with `everywhere` all of the same people. */
async function signOut(
  request: Request,
  { db, visitors, verifyToken }: SessionRoutesOptions,
): Promise<Response> {
  const { headers } = request;
  if (!isOwnForm(headers, visitors.public_url))
    throw new Problem('forbidden', 'Only a page of this Roadstead can sign somebody out.', {
      code: 'access_denied',
    });
  const fields = await readOptionalForm(request, { max_bytes: 1024 });
  const { session, subjects } = await visitors.read(headers);
  const credential = credentialOf(headers) ?? '';
  const claims = looksLikeToken(credential) ? await verifyToken(credential) : undefined;
  const grant = claims && (await findGrant(db, claims.grant_id));
  const of_grant = grant?.session_id ?? null;
  const people = [
    ...subjects.map(({ id }) => id),
    ...(grant === undefined || of_grant === null ? [] : [grant.subject]),
  ];
  await visitors.end({
    session_ids: [session.id, of_grant].filter((id) => id !== null),
    subjects: fields.get('everywhere') === 'true' ? people : [],
  });
  return new Response(null, {
    status: 204,
    headers: { 'set-cookie': visitors.cookies.signedOut(), 'cache-control': 'no-store' },
  });
}
