import { listen, toNodeListener } from '@roadstead/http';
import { useFixture, useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { startFixture, WORKSPACE } from '../testing/fixture.ts';
import { startWithRegistry } from '../testing/operator-registry.ts';

/** What images are pushed by to the operator's registry: its login, or a token of its service. */

const folder = useFolderPerTest('operator-registry-');
const own = useFixture(startFixture);
const LOGIN = 'pusher:a secret';

/** A registry with a service of tokens, which gives what it is told to. */
async function openTokenService(answer: { readonly status: number; readonly body: unknown }, before = '') {
  const asked: URL[] = [];
  const server = await listen(
    toNodeListener(async (request) => {
      const url = new URL(request.url);
      const challenge = `${before}Bearer realm="${url.origin}/token",service="images"`;
      if (url.pathname === '/v2/')
        return new Response(null, { status: 401, headers: { 'www-authenticate': challenge } });
      asked.push(url);
      const isKnown = request.headers.get('authorization') === `Basic ${btoa(LOGIN)}`;
      return Response.json(answer.body, { status: isKnown ? answer.status : 401 });
    }),
    { host: '127.0.0.1', port: 0 },
  );
  return {
    asked,
    registry: `127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test('when the registry takes passwords and its login is shared, then a push gets that', async () => {
  await using server = await listen(
    toNodeListener((request) => own().fetch(request)),
    { host: '127.0.0.1', port: 0 },
  );
  const registry = `127.0.0.1:${server.port}`;
  const login = `pusher:rs_admin_${WORKSPACE}`;
  const { fixture, id } = await startWithRegistry({ registry, login, folder: folder(), share_login: true });
  await using _closed = fixture;
  const given = await fixture.client().createPushToken({ params: { deployment_id: id } });
  expect(given).toEqual({
    kind: 'password',
    username: 'pusher',
    token: `rs_admin_${WORKSPACE}`,
    registry_url: `${registry}/agents/${WORKSPACE}/${id}`,
  });
  const authorization = `Basic ${btoa(`${given.username}:${given.token}`)}`;
  expect((await fetch(`http://${registry}/v2/`, { headers: { authorization } })).status).toBe(200);
});

test.each<[object, string]>([
  [{}, 'support'],
  [{ image: 'worker' }, 'worker'],
])('when the registry has tokens and %j is asked for, then one is for %s alone', async (query, image) => {
  await using service = await openTokenService({ status: 200, body: { access_token: 'scoped' } });
  const { registry } = service;
  const { fixture, id } = await startWithRegistry({ registry, login: LOGIN, folder: folder() });
  await using _closed = fixture;
  const given = await fixture.client().createPushToken({ params: { deployment_id: id }, query });
  expect(given).toMatchObject({ kind: 'bearer', token: 'scoped' });
  expect(service.asked.map(({ searchParams }) => Object.fromEntries(searchParams))).toEqual([
    { service: 'images', scope: `repository:agents/${WORKSPACE}/${id}/${image}:push,pull` },
  ]);
});

test.each<[string, { status: number; body: unknown }, string, RegExp]>([
  ['gives none', { status: 403, body: {} }, LOGIN, /does not answer/],
  ['answers none', { status: 200, body: {} }, LOGIN, /does not answer/],
  ['knows no such login', { status: 200, body: { token: 'x' } }, 'other:canary', /does not answer/],
  ['has no login here', { status: 200, body: { token: 'x' } }, '', /login .* is not there/],
])(
  'when the service of tokens %s, then that is said, without its login',
  async (_case, answer, login, words) => {
    await using service = await openTokenService(answer);
    const { fixture, id } = await startWithRegistry({ registry: service.registry, login, folder: folder() });
    await using _closed = fixture;
    await expect(fixture.client().createPushToken({ params: { deployment_id: id } })).rejects.toMatchObject({
      status: 503,
      message: expect.stringMatching(words) as string,
    });
    expect(fixture.logged.join('\n')).not.toMatch(/canary|a secret/);
  },
);

test('when the registry takes both, then a push gets a token, also where the login is shared', async () => {
  await using service = await openTokenService(
    { status: 200, body: { token: 'scoped' } },
    'Basic realm="images", ',
  );
  const { fixture, id } = await startWithRegistry({
    registry: service.registry,
    login: LOGIN,
    folder: folder(),
    share_login: true,
  });
  await using _closed = fixture;
  const given = await fixture.client().createPushToken({ params: { deployment_id: id } });
  expect(given).toMatchObject({ kind: 'bearer', token: 'scoped' });
});

const NOT_SHARED = { status: 400, message: expect.stringContaining('its login is not given out') as string };
const AWAY = { status: 503, message: expect.stringContaining('does not answer') as string };

test.each<[number, string, boolean, object]>([
  [401, 'Basic realm="images"', false, NOT_SHARED],
  [200, '', true, AWAY],
  [200, 'Basic realm="images"', true, AWAY],
  [401, '', true, AWAY],
  [401, 'Basic realm="images', true, AWAY],
  [401, 'Digest realm="images"', true, AWAY],
  [401, 'Basic realm="images", Bearer realm="no address"', true, AWAY],
  [429, 'Basic realm="images"', true, AWAY],
  [502, '', true, AWAY],
  [503, 'Basic realm="a proxy"', true, AWAY],
])(
  'when the registry answers %i and %j (login shared: %s), then no login is given out',
  async (status, challenge, share_login, problem) => {
    await using server = await listen(
      toNodeListener(async () => new Response(null, { status, headers: { 'www-authenticate': challenge } })),
      { host: '127.0.0.1', port: 0 },
    );
    const registry = `127.0.0.1:${server.port}`;
    const at = { registry, login: LOGIN, folder: folder(), share_login };
    const { fixture, id } = await startWithRegistry(at);
    await using _closed = fixture;
    await expect(fixture.client().createPushToken({ params: { deployment_id: id } })).rejects.toMatchObject(
      problem,
    );
    expect(fixture.logged.join('\n')).not.toContain('a secret');
  },
);
