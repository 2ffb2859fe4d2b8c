import { z } from 'zod';
import { Access, Scope } from '../endpoints/access.ts';
import { endpoint } from '../endpoints/endpoint.ts';
import { Timestamp, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { form, page } from './consent.ts';

/** Who is signed in in a browser, and the console, which is an OAuth client of our own. */

/** The id of the console's client, which nobody can register. */
export const CONSOLE_CLIENT = 'roadstead-console';
/** The page of the console; everything below it is the console's too. */
export const CONSOLE_PATH = '/console';
/** Where the console gets its codes. */
export const CONSOLE_CALLBACK = '/console/callback';

/** Somebody who is signed in in a browser, for one workspace. */
const SignedIn = z
  .object({
    /** `key:{id}` of an API key, or `user:{id}`. */
    subject: WellFormedText,
    name: WellFormedText,
    workspace: z.object({ id: Uuid, name: WellFormedText }),
    scopes: z.array(Scope),
  })
  .meta({ id: 'SignedIn' });

const params = z.object({ code: WellFormedText.max(100) });
/** A path below the console to go on to. */
const query = z.object({ to: WellFormedText.max(2000).optional() });

export const sessions = {
  readSession: endpoint({
    method: 'GET',
    path: '/oauth/session',
    summary: 'Who is signed in in this browser, one for each workspace; empty where nobody is',
    auth: 'public',
    dialect: 'oauth',
    success: { status: 200, body: z.object({ signed_in: z.array(SignedIn) }) },
  }),
  signOut: endpoint({
    method: 'POST',
    path: '/oauth/sign-out',
    summary:
      'End the session of this browser with the console’s tokens of it; with `everywhere=true` those of every browser where the same people are signed in',
    auth: 'public',
    dialect: 'oauth',
    raw: true,
    media_type: 'application/x-www-form-urlencoded',
    max_body_bytes: 1024,
    errors: [403],
    success: { status: 204 },
    example: { body: 'everywhere=true' },
  }),
  createSignInLink: endpoint({
    method: 'POST',
    path: '/v2/sign-in-links',
    summary:
      'Make an address that signs a browser in as the caller: once, and within five minutes. Not for applications',
    access: Access.options,
    workspace: 'any',
    success: { status: 201, body: z.object({ url: WellFormedText, expires_at: Timestamp }) },
  }),
  openSignInLink: endpoint({
    method: 'GET',
    path: '/oauth/sign-in/{code}',
    summary: 'Sign in by an address that is good once; leads to the console',
    ...page,
    errors: [404],
    params,
    query,
    success: { status: 200, media_types: ['text/html'], or: 303 },
    example: { query: { to: '/console/traces' } },
  }),
  submitSignInLink: endpoint({
    method: 'POST',
    path: '/oauth/sign-in/{code}',
    summary: 'Sign in by such an address, as the page’s button does',
    ...form,
    errors: [401, 403, 404],
    params,
    query,
    example: { query: { to: '/console/traces' }, body: 'form_token=example&do=sign-in' },
  }),
};
