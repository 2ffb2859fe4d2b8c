import { createHash, randomBytes } from 'node:crypto';

/** Requests as clients send them that have no library in JavaScript to test with. */

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
}

export interface Registered {
  readonly client_id: string;
  readonly [member: string]: unknown;
}

export async function register(url: string, metadata: object): Promise<Registered> {
  const answer = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  if (answer.status !== 201)
    throw new Error(`Registration answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Registered;
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

export async function askForTokens(url: string, form: Readonly<Record<string, string>>) {
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  return { status: answer.status, body: (await answer.json()) as Tokens & { error?: string } };
}
