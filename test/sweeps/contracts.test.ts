import { request } from 'node:http';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { addresses, type Endpoint } from '@roadstead/contracts';
import { originServices } from '@roadstead/contracts/services';
import { dataHome, startPlatform } from '../support/platform.ts';

/** What must hold for every endpoint, over the contract list; each sweep says how many it swept. */

const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));

const filled = (address: string) => address.replaceAll(/\{\w+\}/g, '11111111-1111-4111-8111-111111111111');
const all = Object.values(originServices as Record<string, Record<string, Endpoint>>).flatMap((contract) =>
  Object.values(contract).flatMap((endpoint) =>
    addresses(endpoint).map((address) => ({ endpoint, address: filled(address) })),
  ),
);
const call = (address: string, endpoint: Endpoint, more: RequestInit = {}) =>
  fetch(platform().url + address, {
    method: endpoint.method,
    ...(endpoint.method === 'GET' || endpoint.method === 'DELETE' ? {} : { body: '{}' }),
    ...more,
  });
const withKey = (more: Record<string, string> = {}) => ({
  headers: { 'x-api-key': platform().key, 'content-type': 'application/json', ...more },
});

test('when there is no key, then every endpoint that needs one answers 401 in its dialect', async () => {
  const keyed = all.filter(({ endpoint }) => endpoint.auth === 'key');
  for (const { endpoint, address } of keyed) {
    const answer = await call(address, endpoint);
    expect([answer.status, `${endpoint.method} ${address}`]).toEqual([401, `${endpoint.method} ${address}`]);
    await expectDialect(answer, endpoint);
  }
  expect(keyed.length).toBeGreaterThan(600);
});

test('when a key is sent twice, then it counts once, and an empty workspace names none', async () => {
  const statusWith = (path: string, headers: readonly string[]) =>
    new Promise<number>((resolve, reject) => {
      const asked = request(
        platform().url + path,
        { headers: ['host', 'localhost', ...headers] },
        (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
        },
      );
      asked.once('error', reject).end();
    });
  const { key } = platform();
  const card = '/agents/nobody/.well-known/agent-card.json';
  for (const [path, good] of [
    ['/v2/workspaces', 200],
    [card, 404],
  ] as const) {
    expect(await statusWith(path, ['X-API-Key', key, 'x-api-key', key])).toBe(good);
    expect(await statusWith(path, ['X-API-Key', key, 'X-Tenant-Id', ''])).toBe(good);
    expect(await statusWith(path, ['X-API-Key', key, 'x-api-key', 'rs_another'])).toBe(401);
  }
});

test('when an endpoint is refused, then it answers 501 with a sentence', async () => {
  const refused = all.filter(({ endpoint }) => endpoint.refused === true && endpoint.access !== 'listener');
  for (const { endpoint, address } of refused) {
    const answer = await call(address, endpoint, withKey());
    expect([answer.status, `${endpoint.method} ${address}`]).toEqual([501, `${endpoint.method} ${address}`]);
    const { because } = endpoint;
    expect(because).toMatch(/\.$/);
    expect(await answer.text()).toContain(because);
    expect(answer.headers.get('x-should-retry')).toBe('false');
  }
  expect(refused.length).toBeGreaterThan(100);
});

test('when garbage comes, then it is refused without an echo, and nothing answers 500', async () => {
  const built = all.filter(
    ({ endpoint }) => endpoint.refused !== true && endpoint.method !== 'GET' && endpoint.method !== 'DELETE',
  );
  for (const { endpoint, address } of built) {
    const answer = await call(address, endpoint, { ...withKey(), body: '{"canary-4711": [' });
    const text = await answer.text();
    expect(text).not.toContain('canary-4711');
    const refused = !bodiless.includes(endpoint.path);
    expect([isRefused(endpoint, answer.status, text), address, text]).toEqual([refused, address, text]);
  }
  expect(built.length).toBeGreaterThan(20);
});

test('when an id is nobody’s, then it is 404; a workspace out of reach is 403', async () => {
  const ids = all.filter(
    ({ endpoint }) =>
      endpoint.refused !== true &&
      endpoint.auth === 'key' &&
      endpoint.method === 'GET' &&
      endpoint.path.includes('_id}') &&
      endpoint.access !== 'listener' &&
      endpoint.access !== 'agents:invoke',
  );
  for (const { endpoint, address } of ids) {
    const answer = await call(address, endpoint, withKey());
    // A thread is its runs: without any there is an empty page, or its project is not found.
    const status = [404, 422].includes(answer.status) ? 404 : answer.status;
    expect(status, address).toBe(nameless.includes(endpoint.path) ? 200 : 404);
    const foreign = await call(
      address,
      endpoint,
      withKey({ 'x-tenant-id': '22222222-2222-4222-8222-222222222222' }),
    );
    expect(foreign.status, address).toBe(403);
  }
  expect(ids.length).toBeGreaterThan(5);
});

/** Clients know by its status that there is no such flow; an agent is a name that anybody may use. */
const nameless = ['/v2/auth/wait/{auth_id}', '/v2/auth/agents/{agent_id}/connections'];

/** What takes nothing, neither an id nor a body, has nothing to refuse: it does not read what comes. */
const bodiless = ['/v2/sign-in-links'];

/** JSON-RPC reports errors in the body, under any status. */
function isRefused({ dialect }: Endpoint, status: number, text: string): boolean {
  if (dialect !== 'jsonrpc') return status >= 400 && status < 500;
  const { jsonrpc, error } = JSON.parse(text) as {
    jsonrpc?: unknown;
    error?: { code?: unknown; message?: unknown };
  };
  return (
    status < 500 && jsonrpc === '2.0' && typeof error?.code === 'number' && typeof error.message === 'string'
  );
}

async function expectDialect(answer: Response, endpoint: Endpoint): Promise<void> {
  if (endpoint.dialect === 'text') return;
  const body = (await answer.json()) as Record<string, unknown>;
  const key = {
    detail: 'detail',
    ingest: 'details',
    problem: 'title',
    jsonrpc: 'error',
    oauth: 'error',
    oci: 'errors',
  }[endpoint.dialect];
  expect(body, endpoint.path).toHaveProperty(key);
}
