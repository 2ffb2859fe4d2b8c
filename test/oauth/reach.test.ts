import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { dataHome, startPlatform } from '../support/platform.ts';
import { askForTokens, authorization, consent, register, Person } from '@roadstead/testing/oauth';

/** Where an access token is taken on the real platform, how far it reaches, and what a client is told that has none. */

const REDIRECT = 'http://127.0.0.1:53122/callback';
const home = useFixture(dataHome);
const platform = useFixture(() => {
  const env = { ROADSTEAD_TRUSTED_PROXIES: '127.0.0.1' };
  return startPlatform(home().path, { env });
});
const readers = useFixture(signIn);

async function signIn(...tick: string[]): Promise<string> {
  const { client_id } = await register(platform().url, { redirect_uris: [REDIRECT] });
  const { address, verifier } = authorization(platform().url, { client_id, redirect_uri: REDIRECT });
  const called = await consent(new Person(), { address, credential: { key: platform().key }, tick });
  const { body } = await askForTokens(platform().url, {
    grant_type: 'authorization_code',
    client_id,
    redirect_uri: REDIRECT,
    code: called.searchParams.get('code') ?? '',
    code_verifier: verifier,
  });
  return body.access_token;
}

const call = async (path: string, headers: Record<string, string>, message?: object) =>
  fetch(platform().url + path, {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(message === undefined
      ? {}
      : { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }) }),
  });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const list = { method: 'tools/list', params: {} };
const callOf = (name: string) => ({ method: 'tools/call', params: { name, arguments: {} } });

test.each(['/mcp', '/api/mcp'])(
  'when a stranger calls %s, then both ways in are told, and where to sign in',
  async (path) => {
    const answer = await call(path, {}, list);
    const told = answer.headers.get('www-authenticate') ?? '';
    expect([answer.status, told]).toEqual([401, expect.stringContaining('scope="traces:read ')]);
    expect(told).not.toContain('error=');
    expect(await answer.text()).toMatch(/X-Api-Key.*sign in/);
    const metadata = /resource_metadata="([^"]+)"/.exec(told)?.[1] ?? '';
    expect(await (await fetch(metadata)).json()).toMatchObject({
      resource: platform().url + path,
      authorization_servers: [platform().url],
    });
    const stale = await call(path, bearer(`${readers()}x`), list);
    expect([stale.status, stale.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
  },
);

test('when a token reads, then every service takes it for what it reads', async () => {
  for (const path of ['/sessions', '/datasets', '/v2/deployments', '/repos'])
    expect([path, (await call(path, bearer(readers()))).status]).toEqual([path, 200]);
  expect((await call('/sessions', { 'x-api-key': readers() })).status).toBe(200);
  for (const path of ['/v2/api-keys', '/v2/grants'])
    expect([path, (await call(path, bearer(readers()))).status]).toEqual([path, 403]);
  const elsewhere = { ...bearer(readers()), 'x-tenant-id': crypto.randomUUID() };
  expect((await call('/sessions', elsewhere)).status).toBe(403);
});

test('when a token may call agents, then they take it, and no other', async () => {
  const card = '/agents/nobody/a2a/x';
  expect((await call(card, bearer(`${readers()}x`), list)).status).toBe(401);
  const callers = await signIn('agents:invoke');
  expect((await call(card, bearer(callers), list)).status).toBe(404);
});

test('when a token lacks a tool’s scope, then the tool asks for it, and a new sign-in gives it', async () => {
  const answer = await call('/mcp', bearer(readers()), callOf('commit_prompt'));
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
    403,
    expect.stringMatching(/^Bearer error="insufficient_scope".*scope="traces:read .*prompts:write"/),
  ]);
  expect(await answer.text()).toContain('prompts:write');
  const writers = await signIn('prompts:write');
  expect((await call('/mcp', bearer(writers), callOf('commit_prompt'))).status).toBe(200);
});

test('when a page of this machine asks, then it may, and a foreign one may not', async () => {
  const origin = 'http://localhost:6274';
  const answer = await call('/mcp', { origin }, list);
  expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
  expect(answer.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  const before = await fetch(`${platform().url}/mcp`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-headers': 'authorization, mcp-protocol-version' },
  });
  expect([before.status, before.headers.get('access-control-allow-headers')]).toEqual([
    204,
    'authorization, mcp-protocol-version',
  ]);
  const foreign = await call('/mcp', { ...bearer(readers()), origin: 'https://elsewhere.test' }, list);
  expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});

test('when a trusted proxy stands before it, then every caller has an address of their own', async () => {
  const register = async (forwarded: string) =>
    (
      await fetch(`${platform().url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': forwarded },
        body: JSON.stringify({ redirect_uris: [REDIRECT] }),
      })
    ).status;
  const each: number[] = [];
  for (let n = 1; n <= 40; n += 1) each.push(await register(`192.0.2.${n}`));
  expect(new Set(each)).toEqual(new Set([201]));
  const one: number[] = [];
  // What it says itself stands before what the proxy says of it.
  for (let n = 1; n <= 31; n += 1) one.push(await register(`192.0.2.${n}, 198.51.100.1`));
  expect(one).toEqual([...Array.from({ length: 30 }, () => 201), 429]);
});
