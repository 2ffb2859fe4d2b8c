import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { AuthenticateAnswer, AuthorizeAnswer, EngineCalls } from '@roadstead/contracts/host';
import { defaultSettings } from '@roadstead/contracts/langgraph-json';
import { HostUnderTest } from './testing/host-process.ts';

const folder = fileURLToPath(new URL('../fixtures/agents', import.meta.url));
const host = useFixture(() => hostWith('auth.js:auth'));

function hostWith(path: string): HostUnderTest {
  const graphs = { agent: { path: './memory.js:graph', description: null } };
  const auth = { path: `./${path}` };
  const project = { ...defaultSettings, config_path: 'langgraph.json', graphs, auth };
  return new HostUnderTest(folder, { environment: { ROADSTEAD_PROJECT: JSON.stringify(project) } });
}

type Attempt = EngineCalls['authorize']['params'];

async function authenticate(token?: string): Promise<AuthenticateAnswer> {
  const headers = token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const];
  const head = { method: 'POST', url: '/threads/search?x=1', headers };
  return (await host().peer.ask('authenticate', head)).result;
}

async function authorize(attempt: Partial<Attempt>): Promise<AuthorizeAnswer> {
  const user = { identity: 'alice', permissions: [] };
  const whole: Attempt = { user, resource: 'threads', action: 'read', value: {}, ...attempt };
  return (await host().peer.ask('authorize', whole)).result;
}

test('when a host is described, then it says for what there are handlers', async () => {
  const { result } = await host().peer.ask('describe', {});
  const handlers = ['*', 'store', 'threads:delete', 'threads:update', 'assistants'];
  expect(result.auth).toEqual({ handlers });
});

test.each([
  ['alice', { identity: 'alice', permissions: ['write'], team: 'red', display_name: 'alice' }],
  ['bob', { identity: 'bob', permissions: [], display_name: 'bob', is_authenticated: true }],
  ['where', { identity: 'POST /threads/search?x=1' }],
])('when the token is "%s", then it is a user', async (token, user) => {
  expect(await authenticate(token)).toEqual({ user: expect.objectContaining(user) });
});

test.each([
  [undefined, 401, 'Who are you?'],
  ['mallory', 401, 'Who are you?'],
  ['nobody', 401, 'Unauthorized'],
  ['away', 401, 'Unauthorized'],
  ['odd', 500, 'The deployment’s own auth failed.'],
  ['broken', 500, 'The deployment’s own auth failed.'],
  ['later', 429, 'Later'],
])('when the token is "%s", then it is refused with %i', async (token, status, message) => {
  expect(await authenticate(token)).toMatchObject({ refused: { status, message } });
});

test('when a handler refuses or throws, then its headers travel, and the log alone has the error', async () => {
  expect(await authenticate('later')).toMatchObject({ refused: { headers: { 'retry-after': '7' } } });
  await authenticate('broken');
  await host().until(() => host().output.includes('no luck with the secret'));
  expect(host().output).toContain('auth (./auth.js:auth): authenticate failed: TypeError');
});

test('when several handlers fit, then the most exact decides, and may change what is asked', async () => {
  expect(await authorize({ action: 'create', value: { metadata: null } })).toEqual({
    allowed: true,
    filters: { owner: 'alice' },
    value: { metadata: { owner: 'alice' } },
  });
  const value = { namespace: ['notes'], key: 'k' };
  expect(await authorize({ resource: 'store', action: 'put', value })).toEqual({
    allowed: true,
    filters: null,
    value: { namespace: ['alice', 'notes'], key: 'k' },
  });
});

test.each([
  ['threads', 'delete', 403],
  ['threads', 'update', 409],
  ['assistants', 'delete', 500],
  ['assistants', 'search', 500],
  ['assistants', 'create', 500],
] as const)('when %s:%s is asked for, then it is refused with %i', async (resource, action, status) => {
  expect(await authorize({ resource, action })).toMatchObject({ allowed: false, status });
});

test.each([
  ['auth-wrong.js:empty', 'has no handler that tells who calls'],
  ['auth-wrong.js:other', 'is not an Auth of @langchain/langgraph-sdk/auth'],
  ['auth-wrong.js:missing', 'has no export "missing"'],
  ['nowhere.js:auth', 'there is no such file'],
])('when auth is at %s, then the start fails', async (path, sentence) => {
  await using wrong = hostWith(path);
  await expect(wrong.peer.ask('describe', {})).rejects.toThrow(sentence);
});
