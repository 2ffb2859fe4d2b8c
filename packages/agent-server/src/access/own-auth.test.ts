import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import type { AuthSettings } from '@roadstead/contracts/langgraph-json';
import { fixtureRevision, openAgent } from '../testing/open-agent.ts';

/** A deployment with an `auth` of its own on a real agent server and real graph hosts. */

const auth: AuthSettings = {
  path: './auth.js:auth',
  disable_studio_auth: false,
  openapi: null,
  cache: null,
  allow_langsmith_api_keys: false,
};

const agent = useFixture(openAgent);
beforeAll(() => serve(auth));

async function serve(settings: AuthSettings | null): Promise<void> {
  const spec = fixtureRevision(crypto.randomUUID());
  const project = { ...spec.project, auth: settings };
  await agent().server.prepare({ ...spec, project }, new AbortController().signal);
  await agent().server.activate(spec.revision_id, new AbortController().signal);
}

interface CallOptions {
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly assertion?: string;
}

async function call(
  path: string,
  body: object | undefined,
  { token, headers = {}, assertion }: CallOptions = {},
) {
  const credential = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const request = new Request(`http://roadstead.test${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...types, ...credential, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answered = await agent().server.fetch(request, assertion === undefined ? {} : { assertion });
  const text = await answered.text();
  const json = /^\{/m.exec(text) === null ? undefined : (JSON.parse(text) as Answer);
  return { status: answered.status, headers: answered.headers, text, body: json };
}
interface Answer {
  readonly result?: { readonly id?: string; readonly status?: { readonly state: string } };
  readonly error?: { readonly code: number; readonly message: string };
}

const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const say = () =>
  rpc('message/send', {
    message: {
      kind: 'message',
      role: 'user',
      messageId: crypto.randomUUID(),
      parts: [{ kind: 'text', text: 'Hello' }],
    },
  });

test('when a deployment has its own auth, then its users see their own tasks alone', async () => {
  const sent = await call('/a2a/agent', say(), { token: 'alice' });
  expect(sent.body?.result?.status?.state).toBe('completed');
  const read = (token: string) =>
    call('/a2a/agent', rpc('tasks/get', { id: sent.body?.result?.id }), { token });
  expect((await read('alice')).body?.result?.id).toBe(sent.body?.result?.id);
  expect((await read('bob')).body?.error?.code).toBe(-32_001);
});

test('when a handler of auth refuses something, then it is refused over A2A, too', async () => {
  const cancel = await call('/a2a/agent', rpc('tasks/cancel', { id: crypto.randomUUID() }), {
    token: 'alice',
  });
  expect([cancel.status, cancel.body?.error?.message]).toEqual([200, 'Threads stay as they are']);
});

test.each([
  [{}, 401, 'Who are you?'],
  [{ token: 'mallory' }, 401, 'Who are you?'],
  [{ token: 'nobody' }, 401, 'Unauthorized'],
  [{ token: 'later' }, 429, 'Later'],
  [{ token: 'broken' }, 500, 'The deployment’s own auth failed.'],
])(
  'when a caller comes with %j, then it is refused with %i, in the dialect of the address',
  async (sent, status, message) => {
    const refused = await call('/a2a/agent', say(), sent);
    expect([refused.status, refused.body?.error?.message]).toEqual([status, message]);
  },
);

test('when an endpoint needs no caller, then it answers without asking anybody', async () => {
  expect((await call('/ok', undefined)).status).toBe(200);
  expect((await call('/info', undefined, { token: 'broken' })).status).toBe(200);
});

test('when a key of the platform comes, then it is nobody, but for members who say so', async () => {
  const assertion = agent().assertion();
  expect((await call('/a2a/agent', say(), { assertion })).status).toBe(401);
  const headers = { 'x-auth-scheme': 'langsmith' };
  const member = await call('/a2a/agent', say(), { assertion, headers });
  expect(member.body?.result?.status?.state).toBe('completed');
  expect((await call('/a2a/agent', say(), { headers })).status).toBe(401);
});

test('when a user of the deployment calls MCP, then agents are its tools', async () => {
  const list = rpc('tools/list', {});
  const headers = { 'mcp-protocol-version': '2025-06-18' };
  expect((await call('/mcp', list, { headers })).status).toBe(401);
  expect((await call('/mcp', list, { token: 'alice', headers })).text).toContain('"agent"');
  const messages = [{ role: 'user', content: 'Hello' }];
  const asked = rpc('tools/call', { name: 'agent', arguments: { messages } });
  expect((await call('/mcp', asked, { token: 'alice', headers })).text).toContain('1: Hello');
});

test('when another revision serves, then the router is told again whether keys count', async () => {
  const front = (headers = {}) => agent().server.routePolicy(new Headers(headers)).verifies;
  expect([front(), front({ 'x-auth-scheme': 'langsmith' })]).toEqual([false, true]);
  await serve({ ...auth, allow_langsmith_api_keys: true });
  expect(front()).toBe(true);
  expect((await call('/a2a/agent', say(), { assertion: agent().assertion() })).status).toBe(200);
  await serve(null);
  expect(front()).toBe(true);
  expect((await call('/a2a/agent', say(), { token: 'alice' })).status).toBe(401);
});
