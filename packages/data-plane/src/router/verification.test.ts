import { expect, test } from 'vitest';
import { useRouter } from '../testing/router-fixture.ts';

/** How the router learns who calls, and what it hands on of that. */

const { router } = useRouter();

test.each([
  ['POST', '/a2a/agent', 401],
  ['GET', '/.well-known/agent-card.json', 401],
  ['GET', '/ok', 401],
  ['GET', '/a2a/agent', 405],
  ['GET', '/page', 404],
])(
  'when a key is not valid, then %s %s of an unknown name is %i, as of a known one',
  async (method, path, status) => {
    const body = method === 'POST' ? { body: '{}' } : {};
    expect((await router().call(`/agents/nobody${path}`, { method, ...body })).status).toBe(status);
    expect((await router().call(`/agents/lost${path}`, { method, ...body })).status).toBe(status);
    router().identityStatus = 401;
    const headers = { 'x-api-key': 'bad' };
    expect((await router().call(`/agents/nobody${path}`, { method, headers, ...body })).status).toBe(status);
    const a2a = await router().call('/agents/nobody/a2a/agent', { method: 'POST', body: '{}' });
    expect([a2a.headers['www-authenticate'], JSON.parse(a2a.text)]).toMatchObject([
      expect.stringContaining('Bearer'),
      { jsonrpc: '2.0', error: {} },
    ]);
  },
);

test('when there is no key, then nothing is router().asked, and public paths are reached', async () => {
  expect((await router().call('/agents/mine/ok')).status).toBe(200);
  expect(router().asked).toEqual([]);
  expect(router().seen[0]?.inward.assertion).toBeUndefined();
});

test.each([
  [{ 'x-api-key': 'k1' }, 'k1'],
  [{ authorization: 'Bearer k2' }, 'k2'],
  [{ 'x-api-key': 'k3', authorization: 'Bearer other' }, 'k3'],
])('when a credential is in %j, then it is verified once in 30 s', async (headers, credential) => {
  await router().call('/agents/mine/info', { headers });
  await router().call('/agents/mine/info', { headers });
  expect(router().asked).toHaveLength(1);
  expect(router().seen[1]?.inward.assertion).toBe(`signed:${credential}`);
  router().now += 30_001;
  await router().call('/agents/mine/info', { headers });
  expect(router().asked).toHaveLength(2);
});

test('when an assertion ends soon, then it is asked for again while it still holds', async () => {
  router().expires_in_ms = 12_000;
  const headers = { 'x-api-key': 'k' };
  await router().call('/agents/mine/info', { headers });
  router().now += 6999;
  await router().call('/agents/mine/info', { headers });
  expect(router().asked).toHaveLength(1);
  router().now += 1;
  await router().call('/agents/mine/info', { headers });
  expect(router().asked).toHaveLength(2);
});

test('when the same key is for another workspace, then it is another question', async () => {
  await router().call('/agents/mine/info', { headers: { 'x-api-key': 'k', 'x-tenant-id': 'w1' } });
  await router().call('/agents/mine/info', { headers: { 'x-api-key': 'k', 'x-tenant-id': 'w2' } });
  expect(router().asked.map(({ workspace_id }) => workspace_id)).toEqual(['w1', 'w2']);
});

test('when a key is refused, then that is remembered for 5 s; that identity is away is not', async () => {
  router().identityStatus = 401;
  const headers = { 'x-api-key': 'bad' };
  await router().call('/agents/mine/info', { headers });
  await router().call('/agents/mine/info', { headers });
  expect(router().asked).toHaveLength(1);
  expect(router().seen[1]?.inward.refused?.kind).toBe('unauthenticated');
  router().now += 5001;
  router().identityStatus = 503;
  await router().call('/agents/mine/info', { headers });
  expect(router().seen[2]?.inward.refused?.kind).toBe('unavailable');
  router().identityStatus = 200;
  await router().call('/agents/mine/info', { headers });
  expect(router().seen[3]?.inward.assertion).toBe('signed:bad');
});

test.each(['GET', 'POST'])(
  'when a %s has a forged assertion and cookies, then they stay outside',
  async (method) => {
    const headers = { 'x-roadstead-assertion': 'forged', cookie: 'session=1' };
    const body = method === 'POST' ? { body: 'kept' } : {};
    await router().call('/agents/mine/page', { method, headers, ...body });
    expect(router().seen[0]?.request.headers.get('x-roadstead-assertion')).toBeNull();
    expect(router().seen[0]?.request.headers.get('cookie')).toBeNull();
    expect(router().seen[0]?.inward.assertion).toBeUndefined();
    expect(router().seen[0]?.body).toBe(body.body ?? '');
  },
);

test('when the workspace header is empty, then it names none; a key sent twice counts once', async () => {
  const headers = { 'x-api-key': 'k, k', 'x-tenant-id': '' };
  await router().call('/agents/mine/info', { headers });
  expect(router().asked).toEqual([{ credential: 'k', audience: 'agent-server' }]);
});

test('when a deployment has an auth of its own, then it gets what was sent, and nothing of ours', async () => {
  router().policy = { verifies: false, cors: null };
  const headers = {
    authorization: 'Bearer theirs',
    'x-api-key': 'theirs',
    'x-roadstead-assertion': 'forged',
    cookie: 'a=b',
  };
  await router().call('/agents/mine/threads', { headers });
  expect(router().asked).toEqual([]);
  expect(router().seen[0]?.inward).toEqual({ path: '/threads' });
  const got = Object.fromEntries(router().seen[0]?.request.headers ?? []);
  expect(got).toMatchObject({ authorization: 'Bearer theirs', 'x-api-key': 'theirs' });
  expect(['x-roadstead-assertion', 'cookie'].filter((name) => name in got)).toEqual([]);
  expect(await router().connect('/agents/mine/chat', {}).opened).toBe(101);
});

test('when a key of the platform has told who calls, then it goes no further', async () => {
  const sent = {
    'x-api-key': 'k',
    authorization: 'Bearer of-the-app',
    'langsmith-api-key': 'k',
    'x-team': 'red',
  };
  await router().call('/agents/mine/page', { headers: sent });
  const got = Object.fromEntries(router().seen[0]?.request.headers ?? []);
  expect(got).toMatchObject({ authorization: 'Bearer of-the-app', 'x-team': 'red' });
  expect(['x-api-key', 'langsmith-api-key'].filter((name) => name in got)).toEqual([]);
  router().identityStatus = 401;
  await router().call('/agents/mine/page', { headers: { authorization: 'Bearer other' } });
  expect(router().seen[1]?.request.headers.get('authorization')).toBe('Bearer other');
});
