import { expect, test } from 'vitest';
import { useRouter } from '../testing/router-fixture.ts';
import { openCors } from './cors-rules.ts';

/** Calls by scripts of pages, which a browser asks about first. */

const { router } = useRouter();

const page = 'https://app.example';
const preflight = { origin: page, 'access-control-request-method': 'POST' };

test.each(['/agents/mine/threads', '/agents/nobody/threads', '/agents/lost/threads', '/agents/mine'])(
  'when a browser asks if it may call %s, then it needs no key, and no deployment is asked',
  async (path) => {
    const asking = { ...preflight, 'access-control-request-headers': 'x-api-key' };
    const { status, headers } = await router().call(path, { method: 'OPTIONS', headers: asking });
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'x-api-key',
    });
    expect([router().seen, router().asked]).toEqual([[], []]);
  },
);

test('when a browser asks whether it may call, then it takes no place of calls', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  router().answer = async () => held.then(() => Response.json({}));
  const waiting = ['mine', 'mine', 'mine'].map((slug) => router().call(`/agents/${slug}/hold`));
  await expect.poll(() => router().seen.length).toBe(3);
  expect((await router().call('/agents/mine/x', { method: 'OPTIONS', headers: preflight })).status).toBe(204);
  release();
  await Promise.all(waiting);
});

test('when a page calls, then it can read answers and refusals of the router alike', async () => {
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const answered = await router().call(path, { headers: { origin: page, ...headers } });
    return [answered.status, answered.headers['access-control-allow-origin']];
  };
  expect(await read('/agents/mine/ok')).toEqual([200, '*']);
  expect(await read('/agents/nobody/info')).toEqual([401, '*']);
  expect(await read('/agents/nobody/info', { 'x-api-key': 'k' })).toEqual([404, '*']);
  expect(await read('/agents/lost/info', { 'x-api-key': 'k' })).toEqual([503, '*']);
  router().routes.stop();
  expect(await read('/agents/mine/info', { 'x-api-key': 'k' })).toEqual([503, '*']);
});

test('when a deployment names origins, then that holds for answers and for browsers that ask', async () => {
  router().policy = { ...router().policy, cors: { ...openCors, allow_origins: ['https://other.example'] } };
  expect((await router().call('/agents/mine/ok', { headers: { origin: page } })).headers).not.toHaveProperty(
    'access-control-allow-origin',
  );
  const { headers } = await router().call('/agents/mine/ok', { method: 'OPTIONS', headers: preflight });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
});

test('when OPTIONS is asked by no browser, then it is the deployment’s to answer', async () => {
  await router().call('/agents/mine/ok', { method: 'OPTIONS' });
  expect(router().seen[0]?.request.method).toBe('OPTIONS');
});
