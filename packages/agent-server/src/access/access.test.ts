import { beforeEach, expect, test } from 'vitest';
import { ALL_WORKSPACES, type Principal } from '@roadstead/contracts';
import type { AuthenticateAnswer, AuthorizeAnswer } from '@roadstead/contracts/host';
import type { AuthSettings } from '@roadstead/contracts/langgraph-json';
import type { CallerContext } from '@roadstead/http';
import type { Problem } from '@roadstead/kit';
import type { Runs } from '../runs/runs.ts';
import { Access, callerOf, type OwnAuth } from './access.ts';
import type { Attempt, Caller } from './caller.ts';

let own: OwnAuth | undefined;
let asked: { readonly method: string; readonly params: unknown }[];
let authenticated: AuthenticateAnswer;
let authorized: AuthorizeAnswer | undefined;
beforeEach(() => {
  own = { handlers: ['*', 'threads:create'], settings };
  asked = [];
  authenticated = { user: { identity: 'alice', permissions: ['read'], team: 'red' } };
  authorized = { allowed: true, filters: null, value: {} };
});

const settings: AuthSettings = {
  path: './auth.ts:auth',
  disable_studio_auth: false,
  openapi: null,
  cache: null,
  allow_langsmith_api_keys: false,
};
const key: Principal = { workspace_id: 'w', actor: 'key:1', scopes: ['agents:invoke'] };
const principals: Readonly<Record<string, Principal>> = {
  key,
  bound: { ...key, subject: 'carol@x.org' },
  writer: { ...key, scopes: ['traces:write'] },
  foreign: { ...key, workspace_id: 'other' },
  every: { ...key, workspace_id: ALL_WORKSPACES },
};
const ask = ((method: string, params: unknown) => {
  asked.push({ method, params });
  if (method === 'authenticate') return Promise.resolve(authenticated);
  return authorized === undefined ? Promise.withResolvers().promise : Promise.resolve(authorized);
}) as Runs['ask'];
const access = () =>
  new Access({
    workspace_id: 'w',
    verify: (assertion) => principals[assertion],
    own: () => own,
    ask,
    patience_ms: 20,
  });

const request = (headers: Record<string, string> = {}) =>
  new Request('http://edge/agents/mine/threads/search?x=1', { method: 'POST', headers });
const admit = (inward: CallerContext, headers?: Record<string, string>) =>
  access().admit(request(headers), inward);

async function caller(inward: CallerContext, headers?: Record<string, string>): Promise<Caller | undefined> {
  const { identify } = await admit(inward, headers);
  return identify === undefined ? undefined : callerOf(await identify());
}

test.each([
  ['key', { principal: 'workspace:w', user: null, subject: null }],
  ['bound', { principal: 'workspace:w:subject:carol@x.org', user: null, subject: 'carol@x.org' }],
])(
  'when a key of the platform is used (%s), then it is its workspace’s or its subject’s',
  async (assertion, expected) => {
    own = undefined;
    const inward = { assertion, path: '/threads/search' };
    expect(await admit(inward)).toBe(inward);
    expect(callerOf(principals[assertion] ?? key)).toMatchObject(expected);
  },
);

test('when a key is of another workspace, then it finds nothing, unless it is of every workspace', async () => {
  for (const auth of [undefined, own]) {
    own = auth;
    await expect(admit({ assertion: 'foreign' })).rejects.toMatchObject({ kind: 'not_found' });
    expect(await admit({ assertion: 'every' })).toBeDefined();
  }
});

test('when a deployment has its own auth, then it is asked once, when an endpoint needs to know', async () => {
  const inward = await admit({ path: '/threads/search', address: '10.0.0.1' });
  expect([inward.path, inward.address, asked]).toEqual(['/threads/search', '10.0.0.1', []]);
  const [one, other] = await Promise.all([inward.identify?.(), inward.identify?.()]);
  expect(one).toBe(other);
  expect(callerOf(one ?? key)).toMatchObject({
    workspace_id: 'w',
    principal: 'user:alice',
    user: { identity: 'alice', team: 'red' },
    subject: null,
  });
  expect(asked).toHaveLength(1);
});

test('when a handler of auth is asked, then it gets the credential untouched, nothing of ours', async () => {
  const sent = {
    authorization: 'Bearer theirs',
    'x-api-key': 'theirs too',
    'x-roadstead-assertion': 'forged',
  };
  await caller({ path: '/threads/search', assertion: 'key' }, sent);
  const headers = [
    ['authorization', 'Bearer theirs'],
    ['x-api-key', 'theirs too'],
  ];
  expect(asked).toEqual([
    { method: 'authenticate', params: { method: 'POST', url: '/threads/search?x=1', headers } },
  ]);
});

test('when an assertion of ours comes, then auth knows nobody by it, but members who say so', async () => {
  authenticated = { refused: { status: 401, message: 'Who are you?' } };
  await expect(caller({ assertion: 'key' })).rejects.toMatchObject({ kind: 'unauthenticated' });
  const member = { 'x-auth-scheme': 'langsmith' };
  expect(await caller({ assertion: 'key' }, member)).toMatchObject({
    principal: 'user:langgraph-studio-user',
    user: { kind: 'StudioUser' },
  });
  expect(await caller({}, member)).toBeUndefined();
  expect((await admit({}, member)).assertion).toBeUndefined();
  own = { handlers: [], settings: { ...settings, disable_studio_auth: true } };
  await expect(caller({ assertion: 'key' }, member)).rejects.toMatchObject({ kind: 'unauthenticated' });
});

test('when the deployment says so, then keys of the platform are good beside its handler', async () => {
  own = { handlers: [], settings: { ...settings, allow_langsmith_api_keys: true } };
  expect(await caller({ assertion: 'key' })).toMatchObject({ user: { kind: 'StudioUser' } });
  expect(await caller({})).toMatchObject({ principal: 'user:alice' });
});

test('when somebody is kept in the cache, then auth is not asked again', async () => {
  const cache = { cache_keys: ['authorization'], ttl_seconds: 60, max_size: 10 };
  own = { handlers: [], settings: { ...settings, cache } };
  const one = access();
  for (const token of ['a', 'a', 'b', 'a']) {
    const { identify } = await one.admit(request({ authorization: token }), {});
    await identify?.();
  }
  expect(asked).toHaveLength(2);
});

test.each([
  [401, 'unauthenticated'],
  [402, 'forbidden'],
  [404, 'not_found'],
  [429, 'limit'],
  [500, 'internal'],
  [503, 'unavailable'],
])(
  'when auth refuses with %i, then the problem is %s, with the headers that it may have',
  async (status, kind) => {
    const headers = {
      'www-authenticate': 'Basic',
      'set-cookie': 'a=b',
      'content-length': '9',
      'retry-after': '7',
    };
    authenticated = { refused: { status, message: 'No.', headers } };
    await expect(caller({})).rejects.toMatchObject({
      kind,
      message: 'No.',
      retry_after_s: 7,
      headers: { 'www-authenticate': 'Basic', 'retry-after': '7' },
    });
  },
);

const nobody: Caller = { workspace_id: 'w', principal: 'workspace:w', user: null, subject: null, scopes: [] };
const alice: Caller = { ...nobody, principal: 'user:alice', user: { identity: 'alice', permissions: [] } };
const carol: Caller = { ...nobody, principal: 'workspace:w:subject:c', subject: 'carol@x.org' };
const attempt = (more: Partial<Attempt> = {}): Attempt => ({
  resource: 'threads',
  action: 'create',
  value: { metadata: undefined, thread_id: 't' },
  ...more,
});

test('when a key calls its own workspace, then it may do all, and handlers are not asked', async () => {
  expect(await access().authorize(nobody, attempt())).toEqual({ value: attempt().value, filters: null });
  expect(asked).toEqual([]);
});

test('when a handler decides, then it sees absent fields as null, and may change what is asked', async () => {
  const value = { metadata: { owner: 'alice' }, thread_id: 't' };
  authorized = { allowed: true, filters: { owner: 'alice' }, value };
  expect(await access().authorize(alice, attempt())).toEqual({ value, filters: { owner: 'alice' } });
  expect(asked).toEqual([
    {
      method: 'authorize',
      params: {
        user: alice.user,
        resource: 'threads',
        action: 'create',
        value: { metadata: null, thread_id: 't' },
      },
    },
  ]);
});

test('when no handler is for something, then it is allowed without asking', async () => {
  own = { handlers: ['store', 'threads:read'], settings };
  expect(await access().authorize(alice, attempt())).toMatchObject({ filters: null });
  expect(asked).toEqual([]);
});

test('when auth refuses, can’t be asked or is gone, then nothing is allowed', async () => {
  authorized = { allowed: false, status: 403, message: 'No.' };
  await expect(access().authorize(alice, attempt())).rejects.toMatchObject({ kind: 'forbidden' });
  authorized = undefined;
  await expect(access().authorize(alice, attempt())).rejects.toMatchObject({ kind: 'unavailable' });
  own = undefined;
  await expect(access().authorize(alice, attempt())).rejects.toMatchObject({ kind: 'unauthenticated' });
});

test('when a key is one person’s, then it makes and sees only what is that person’s', async () => {
  const own_field = { roadstead_subject: 'carol@x.org' };
  const metadata = { roadstead_subject: 'dave', topic: 'x' };
  for (const action of ['create', 'update', 'create_run'])
    expect(await access().authorize(carol, attempt({ action, value: { metadata } }))).toEqual({
      value: { metadata: { ...own_field, topic: 'x' } },
      filters: own_field,
    });
  for (const action of ['read', 'search', 'delete'])
    expect(await access().authorize(carol, attempt({ action }))).toMatchObject({ filters: own_field });
});

test('when an assistant is there, then all may read it, and only its maker may change it', async () => {
  const of = async (action: string) =>
    (await access().authorize(carol, attempt({ resource: 'assistants', action }))).filters;
  expect([await of('read'), await of('search')]).toEqual([null, null]);
  expect([await of('update'), await of('delete')].every((one) => one !== null)).toBe(true);
});

test.each([
  [['carol@x%2Eorg', 'notes'], true],
  [['carol@x%2Eorg'], true],
  [['carol@x.org'], false],
  [['dave'], false],
  [[], false],
  [undefined, false],
])('when a key of one person reaches for the namespace %j, then it may: %s', async (namespace, allowed) => {
  const asking = access().authorize(
    carol,
    attempt({ resource: 'store', action: 'get', value: { namespace } }),
  );
  const kind = await asking.then(
    () => 'allowed',
    (error: unknown) => (error as Problem).kind,
  );
  expect(kind).toBe(allowed ? 'allowed' : 'forbidden');
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['a text', 'yes'],
  ['no filters', { allowed: true, value: {} }],
  ['filters that are no object', { allowed: true, filters: 7, value: {} }],
  ['a list of filters', { allowed: true, filters: [], value: {} }],
  ['an operator that is not known', { allowed: true, filters: { owner: { $ne: 'bob' } }, value: {} }],
  ['a filter with NUL', { allowed: true, filters: { owner: 'a\0' }, value: {} }],
  ['a filter of a field with NUL', { allowed: true, filters: { 'a\0': 1 }, value: {} }],
  ['two operators', { allowed: true, filters: { owner: { $eq: 'a', $contains: 'b' } }, value: {} }],
  ['no value', { allowed: true, filters: null, value: null }],
  ['metadata that is no object', { allowed: true, filters: null, value: { metadata: 'x' } }],
  ['a truth that is none', { allowed: 'true', filters: null, value: {} }],
  ['a refusal without a status', { allowed: false }],
])('when a host answers with %s, then nobody may do anything', async (_name, said) => {
  authorized = said as AuthorizeAnswer;
  await expect(access().authorize(alice, attempt())).rejects.toMatchObject({ kind: 'internal' });
});

test.each<[unknown]>([
  [null],
  [{}],
  [{ user: 'alice' }],
  [{ user: { identity: '', permissions: [] } }],
  [{ user: { identity: 'a\0', permissions: [] } }],
  [{ user: { identity: 'a'.repeat(1025), permissions: [] } }],
  [{ refused: 7 }],
])('when a host names %j, then that is nobody', async (said) => {
  authenticated = said as AuthenticateAnswer;
  await expect(caller({})).rejects.toMatchObject({ kind: 'internal' });
});

test('when an unbound key makes a member of a workspace, then the member may do what it may', async () => {
  const member = { 'x-auth-scheme': 'langsmith' };
  expect(await caller({ assertion: 'key' }, member)).toMatchObject({ scopes: ['agents:invoke'] });
  expect(await caller({ assertion: 'writer' }, member)).toMatchObject({ scopes: ['traces:write'] });
  await expect(caller({ assertion: 'bound' }, member)).rejects.toMatchObject({ kind: 'forbidden' });
});

test('when a deployment’s own code hands a client’s headers on, then the call is that client’s', async () => {
  const loopback: CallerContext = { identify: async () => key };
  const member = await admit(loopback, { 'x-auth-scheme': 'langsmith' });
  expect(member.identify).toBeUndefined();
  expect(await caller(loopback, { authorization: 'Bearer theirs' })).toMatchObject({
    principal: 'user:alice',
  });
});

test('when a call carries a credential of ours, then the deployment’s own auth is not shown it', async () => {
  const ours = `rs_${'k'.repeat(43)}`;
  const headers = { authorization: 'Bearer theirs', 'x-api-key': ours, cookie: `a=b; key=${ours}` };
  const sent = new Request(`http://edge/agents/mine/threads?x=1&key=${ours}`, { headers });
  const { identify } = await access().admit(sent, { path: '/threads' });
  await identify?.();
  expect(asked).toEqual([
    {
      method: 'authenticate',
      params: {
        method: 'GET',
        url: '/threads?x=1',
        headers: expect.arrayContaining([
          ['authorization', 'Bearer theirs'],
          ['cookie', 'a=b'],
        ]),
      },
    },
  ]);
  expect(JSON.stringify(asked)).not.toContain(ours);
});
