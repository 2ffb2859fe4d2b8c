import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { acceptedAccess, addresses, type Endpoint, parameterNames } from '@roadstead/contracts';
import { controlPlane } from '@roadstead/contracts/control-plane';
import { createRequest, LISTENER_ID, startFixture, WORKSPACE } from '../testing/fixture.ts';

const fixture = useFixture(startFixture);
const client = () => fixture().client();

const uuid = '33333333-3333-4333-8333-333333333333';

async function create(name: string, deployment_type?: 'dev' | 'prod'): Promise<string> {
  const body = { ...createRequest(name), source_config: { deployment_type } };
  return (await client().createDeployment({ body })).id;
}

const list = async (query: object) =>
  (await client().listDeployments({ query })).resources.map((one) => one.name);

test('when a list has name_contains, then the deployment of exactly that name comes first', async () => {
  for (const name of ['exact', 'exact-1', 'exact-2', 'not-exact']) await create(name);
  expect(await list({ name_contains: 'exact' })).toEqual(['exact', 'not-exact', 'exact-2', 'exact-1']);
  expect(await list({ name_contains: 'exact', limit: 1 })).toEqual(['exact']);
  expect(await list({ name_contains: 'exact', limit: 2, offset: 1 })).toEqual(['not-exact', 'exact-2']);
  expect(await list({ name_contains: 'xact', limit: 1 })).toEqual(['not-exact']);
});

test('when a list has deployment_type or remote_reconciled, then it is filtered by it', async () => {
  const [dev, prod] = [await create('a-dev', 'dev'), await create('a-prod', 'prod')];
  expect(await list({ deployment_type: 'dev' })).toEqual(['a-dev']);
  expect(await list({ deployment_type: 'dev_free' })).toEqual([]);
  expect(await list({ remote_reconciled: 'true' })).toEqual([]);
  expect(await list({ remote_reconciled: 'false', name: 'a-prod' })).toEqual(['a-prod']);
  const other = '44444444-4444-4444-8444-444444444444';
  await fixture().db.run(
    `insert into listeners (id, workspace_id, compute_type, compute_id, capabilities)
     values ($1, $2, 'container', 'remote', '{archive}')`,
    [other, WORKSPACE],
  );
  await fixture().db.run('update assignments set listener_id = $1 where deployment_id = $2', [other, prod]);
  expect(await list({ remote_reconciled: 'true' })).toEqual(['a-prod']);
  const revisions = async (deployment_id: string, remote_reconciled: 'true' | 'false') =>
    (await client().listRevisions({ params: { deployment_id }, query: { remote_reconciled } })).resources
      .length;
  expect([await revisions(prod, 'true'), await revisions(prod, 'false')]).toEqual([1, 0]);
  expect([await revisions(dev, 'true'), await revisions(dev, 'false')]).toEqual([0, 1]);
});

test.each([
  ['agent_id=a', 'agent_id', 'agents'],
  ['name=x&agent_environment=dev', 'agent_environment', 'agents'],
  ['tag_value_ids=a,b', 'tag_value_ids', 'tags'],
  ['nmae=x', 'nmae', 'Known are limit, offset, name'],
])('when deployments are listed by %s, then that is 400 and names %s', async (query, name, why) => {
  const answer = await fixture().send(`/v2/deployments?${query}`);
  expect(answer.status).toBe(400);
  const { detail } = (await answer.json()) as { detail: string };
  expect(detail).toContain(name);
  expect(detail).toContain(why);
});

const built = Object.entries<Endpoint>(controlPlane).filter(
  ([, endpoint]) => endpoint.refused !== true && endpoint.auth === 'key',
);
const isToListeners = (endpoint: Endpoint) => acceptedAccess(endpoint).includes('listener');

test('when a caller sends an unknown parameter, then it is 400 before anything is written', async () => {
  const id = await create('untouched');
  // Changes by callers, without the loop's own changes meanwhile.
  const intended = 'select id, name, version, status, source_config from deployments order by id';
  const before = await fixture().db.query(intended);
  const asked = built.filter(([, endpoint]) => !isToListeners(endpoint));
  for (const [operation, endpoint] of asked) {
    const path = (addresses(endpoint)[0] ?? '')
      .replace('{deployment_id}', id)
      .replace('{name}', 'A')
      .replaceAll(/\{\w+\}/g, uuid);
    const { query = {}, body } = (endpoint.example ?? {}) as {
      query?: Record<string, string>;
      body?: unknown;
    };
    const search = new URLSearchParams({ ...query, no_such_filter: '1' }).toString();
    const answer = await fixture().send(`${path}?${search}`, {
      method: endpoint.method,
      body: body === undefined ? null : JSON.stringify(body),
    });
    expect([operation, answer.status, await answer.text()]).toEqual([
      operation,
      400,
      expect.stringContaining('no_such_filter'),
    ]);
  }
  expect(asked.length).toBeGreaterThan(15);
  expect(await fixture().db.query(intended)).toEqual(before);
});

test('when a listener sends an unknown parameter, then it is taken: it may be newer than we are', async () => {
  const path = `/v2/listeners/${LISTENER_ID}/assignments?since=0&mood=good`;
  const answer = await fixture().send(path, { headers: { 'x-api-key': 'rs_listener' } });
  expect(answer.status).toBe(200);
});

test('when an endpoint has a query, then the check knows the names of its parameters', () => {
  const lists = built.filter(([, endpoint]) => endpoint.query !== undefined);
  for (const [operation, { query }] of lists)
    expect([operation, parameterNames(query).length > 0]).toEqual([operation, true]);
  expect(lists.length).toBeGreaterThan(7);
});
