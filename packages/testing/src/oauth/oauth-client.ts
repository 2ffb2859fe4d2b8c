import { createHash, randomBytes } from 'node:crypto';
import type { Credential, Person } from './person.ts';

/** Requests as clients send them that have no library in JavaScript to test with. */

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
}

export interface ClientRegistration {
  readonly client_id: string;
  readonly [member: string]: unknown;
}

export async function register(url: string, metadata: object): Promise<ClientRegistration> {
  const answer = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  if (answer.status !== 201)
    throw new Error(`Registration answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as ClientRegistration;
}

export interface Authorization {
  readonly address: string;
  readonly verifier: string;
  readonly state: string;
}

/** The address that a client opens in the browser. */
export function authorization(
  url: string,
  { client_id, redirect_uri, ...more }: { client_id: string; redirect_uri: string; [more: string]: string },
): Authorization {
  const [verifier, state] = [randomBytes(32).toString('base64url'), randomBytes(8).toString('hex')];
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  });
  return { address: `${url}/oauth/authorize?${query.toString()}`, verifier, state };
}

/** Signs in where that is asked for, and allows what is ticked and more; the address that the client is called at. */
export async function consent(
  person: Person,
  {
    address,
    credential,
    tick = [],
  }: { readonly address: string; readonly credential: Credential; readonly tick?: readonly string[] },
): Promise<URL> {
  const { text } = await person.open(address);
  if (text.includes('name="password"')) await person.signIn(credential);
  return new URL(await person.allow(...tick));
}

export async function askForTokens(url: string, form: Readonly<Record<string, string>>) {
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  return { status: answer.status, body: (await answer.json()) as Tokens & { error?: string } };
}
