import type { AuthenticateRequest, AuthenticateResponse } from '@roadstead/contracts/control-plane';
import type { Scope } from '@roadstead/contracts';
import { startOAuthServer, type OAuthServerOptions, visit } from '@roadstead/testing/oauth';
import { startFixture, WORKSPACE } from '../../testing/fixture.ts';

/** The control plane with a provider `mail`, which is a real OAuth server on this machine. */

const ORIGIN = 'http://roadstead.test';
export const CALLBACK = `${ORIGIN}/v2/auth/callback/mail`;

export async function startAuthFixture(options: Partial<OAuthServerOptions> = {}) {
  const fixture = await startFixture();
  const server = fixture.stack.use(await startOAuthServer({ redirect_uris: [CALLBACK], ...options }));
  const provider = {
    provider_id: 'mail',
    name: 'Mail',
    ...server.client,
    auth_url: `${server.url}/auth`,
    token_url: `${server.url}/token`,
    revocation_url: `${server.url}/token/revocation`,
    uses_pkce: true,
  };
  const keyOf = async (scopes: readonly Scope[], workspace_id = WORKSPACE) => {
    const key = `rs_${crypto.randomUUID()}`;
    await fixture.identity.ensureKey({ workspace_id, name: key, scopes: [...scopes], key });
    return key;
  };
  /** Posts or gets as JSON, with a key. */
  const call = async (path: string, init: { method?: string; body?: unknown; key?: string } = {}) => {
    const { method = init.body === undefined ? 'GET' : 'POST', body, key } = init;
    const answer = await fixture.send(path, {
      method,
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-api-key': key }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, json: <T = Record<string, unknown>>() => JSON.parse(text) as T };
  };
  const authenticate = async (request: Partial<AuthenticateRequest> = {}, key?: string) => {
    const body = { provider: 'mail', scopes: ['repo'], user_id: 'anna', ...request };
    const answer = await call('/v2/auth/authenticate', { body, ...(key === undefined ? {} : { key }) });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json<AuthenticateResponse>();
  };
  /** Does what a browser does up to our own page; then what the person does there. */
  const consent = async (url: string, decision: 'connect' | 'cancel' = 'connect') => {
    const returned = await visit(url, ORIGIN);
    const page = await fixture.fetch(new Request(returned));
    const shown = await page.text();
    if (!shown.includes('<form')) return { returned, status: page.status, text: shown };
    const answer = await fixture.fetch(formOf(shown, decision));
    return { returned, shown, status: answer.status, text: await answer.text() };
  };
  await call('/v2/auth/providers', { body: provider });
  return Object.assign(fixture, { server, provider, call, keyOf, authenticate, consent });
}

export function formOf(page: string, decision: string): Request {
  const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
  const hidden = [...page.matchAll(/name="(\w+)" value="([^"]*)" \/>/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  );
  return new Request(action, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: ORIGIN,
      'sec-fetch-site': 'same-origin',
    },
    body: new URLSearchParams([...hidden, ['do', decision]]).toString(),
  });
}

export type AuthFixture = Awaited<ReturnType<typeof startAuthFixture>>;
