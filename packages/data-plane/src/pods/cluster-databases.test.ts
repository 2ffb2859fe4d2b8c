import { randomUUID } from 'node:crypto';
import { inject, assert, expect, test } from 'vitest';
import { silentLog, uuidv7 } from '@roadstead/kit';
import { FakeApiServer, FakeRefusal } from '@roadstead/kubernetes/testing';
import { openDatabase } from '@roadstead/postgres';
import { useFixturePerTest } from '@roadstead/testing';
import { type DatabaseOrder, openSharedDatabases } from '../databases/databases.ts';
import { makeNamespaces } from '../testing/cluster/open-pods.ts';
import { PlayedDatabases } from '../testing/cluster/play-databases.ts';
import { AgentPlaces } from './agent-places.ts';
import { openClusterDatabases } from './cluster-databases.ts';

async function open() {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await FakeApiServer.open());
  const { access } = server;
  await makeNamespaces(access, ['agents', 'others']);
  const operator = stack.use(new PlayedDatabases(server, inject('postgresUrl')));
  const owner = randomUUID();
  const wait = { limit_ms: 60_000, look_ms: 5 };
  const namespaces = ['agents', 'others'];
  const places = stack.use(new AgentPlaces({ access, namespaces, owner, log: silentLog }));
  const openShared = () => openSharedDatabases({ admin_url: inject('postgresUrl'), password_key: 'a key' });
  const shared = stack.use(openShared());
  const openLife = () =>
    openClusterDatabases({
      shared: openShared(),
      places,
      owner,
      default_gi: 10,
      storage_class: undefined,
      wait,
      log: silentLog,
    });
  const databases = stack.use(openLife());
  const id = uuidv7();
  stack.defer(async () => {
    server.faults.length = 0;
    await shared.keepElsewhere(id, undefined);
    await shared.drop(id);
  });
  const opened = stack.move();
  const told: (string | undefined)[] = [];
  const order = (resources: DatabaseOrder['resources'] = {}): DatabaseOrder => ({
    name: 'My Agent',
    resources,
    onHindrance: (hindrance) => told.push(hindrance?.message),
    signal: new AbortController().signal,
  });
  const ensure = (resources?: DatabaseOrder['resources']) => databases.ensure(id, order(resources));
  return {
    server,
    operator,
    /** Has it wait for no longer than a moment. */
    hurry: () => void (wait.limit_ms = 200),
    places,
    shared,
    databases,
    openLife,
    order,
    ensure,
    told,
    id,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const fixture = useFixturePerTest(open);
const specOf = () => fixture().operator.clusters[0]?.spec;

test('when a deployment is new, then it gets a server of its own, which later lives find again', async () => {
  const { ensure, operator, openLife, id, order, databases } = fixture();
  const url = await ensure({ cpus: 0.5, memory_mb: 1024, memory_limit_mb: 2048, storage_gi: 5 });
  {
    await using db = openDatabase({ url, max: 1, name: 'test' });
    await db.run('create table kept (n int)');
    const { may } = await db.one<{ may: boolean }>(
      `select rolsuper or rolcreatedb or rolcreaterole as may from pg_roles where rolname = current_user`,
    );
    expect(may).toBe(false);
  }
  const [cluster] = operator.clusters;
  expect(cluster?.metadata).toMatchObject({
    namespace: 'agents',
    name: expect.stringMatching(new RegExp(`^db-${id.slice(-8)}-[0-9a-f]{16}$`)),
    labels: { 'app.kubernetes.io/instance': 'my-agent', 'roadstead.dev/deployment-id': id },
    managedFields: [{ manager: 'roadstead', operation: 'Apply' }],
  });
  expect(cluster?.spec.resources).toEqual({
    requests: { cpu: '500m', memory: '1Gi' },
    limits: { memory: '2Gi' },
  });
  expect(databases.kindOf(id)).toBe('own');
  await using later = openLife();
  expect(await later.ensure(id, order())).toBe(url);
  expect(operator.databases).toHaveLength(1);
});

test('when a server is not ready, then that is told, until it is', async () => {
  const { ensure, operator, told } = fixture();
  operator.stuck = { phase: 'Setting up primary' };
  const ensured = ensure();
  await expect
    .poll(() => told.at(-1))
    .toBe('The database of the deployment is not ready: Setting up primary.');
  await operator.resume();
  expect(await ensured).toMatch(/^postgres/);
  expect(told.at(-1)).toBeUndefined();
});

test('when a server is not ready in time, then that fails, and the next attempt goes on with it', async () => {
  const { ensure, operator, server, told, hurry } = fixture();
  operator.stuck = { phase: 'Setting up primary' };
  const pending = ensure({ storage_gi: 5 });
  await expect.poll(() => operator.clusters.length).toBe(1);
  const [cluster] = operator.clusters;
  const message = '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.';
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
  const metadata = {
    name: 'p',
    namespace: 'agents',
    labels: { 'cnpg.io/cluster': cluster?.metadata.name ?? '' },
  };
  const pod = { metadata, spec: { containers: [] }, status: { phase: 'Pending', conditions } };
  server.objects.write('pods', pod);
  const sentence =
    'The database of the deployment does not run. No node of the cluster takes the pod: a volume claim is not bound to a volume.';
  await expect.poll(() => told.at(-1)).toBe(sentence);
  hurry();
  await expect(pending).rejects.toMatchObject({ code: 'database_unschedulable', message: sentence });
  await operator.resume();
  await ensure({ storage_gi: 8 });
  expect(operator.clusters.map((one) => one.metadata.name)).toEqual([cluster?.metadata.name]);
  expect(specOf()?.storage).toEqual({ size: '10Gi' });
});

test.each([
  [
    'has no CloudNativePG',
    404,
    'the server could not find the requested resource',
    'database_operator_missing',
  ],
  [
    'lets us make none',
    403,
    'clusters.postgresql.cnpg.io is forbidden: User "u" cannot create resource "clusters" in API group "postgresql.cnpg.io"',
    'cluster_denied',
  ],
  [
    'has an operator that denies it',
    403,
    'admission webhook "vcluster.cnpg.io" denied the request: spec.storage: too small',
    'database_refused',
  ],
  [
    'has an operator that does not answer',
    500,
    'Internal error occurred: failed calling webhook "mcluster.cnpg.io": no endpoints available',
    'database_operator_away',
  ],
  ['is away', 503, 'etcd is away', 'cluster_away'],
])(
  'when the cluster %s, then the revision says so, and nothing is made',
  async (_case, status, message, code) => {
    const { ensure, server, operator, shared, id, hurry } = fixture();
    hurry();
    const does = new FakeRefusal(status, 'Refused', { message });
    server.faults.push({ on: /^PATCH .*\/clusters\//, does, times: Infinity });
    await expect(ensure()).rejects.toMatchObject({ kind: 'invalid', code });
    expect(operator.clusters).toEqual([]);
    expect(await shared.has(id)).toBe(false);
  },
);

test('when the API server is away as a server is looked for, then that is for another time', async () => {
  const { ensure, server } = fixture();
  server.faults.push({ on: /^GET .*\/clusters\?/, does: 'cut', times: 9 });
  await expect(ensure()).rejects.toMatchObject({ name: 'EngineAway' });
});

test('when a deployment had its database before, then it keeps that, and gets no other', async () => {
  const { databases, ensure, shared, operator, id } = fixture();
  const before = await shared.ensure(id);
  expect(await ensure({ cpus: 1 })).toBe(before);
  await databases.give(id, { connections: 20 });
  expect(databases.kindOf(id)).toBe('kept');
  expect(operator.clusters).toEqual([]);
});

test('when the operator wants no such servers any more, then no empty database takes the place', async () => {
  const { ensure, shared, id, operator } = fixture();
  await ensure();
  const refused = { code: 'database_elsewhere', message: expect.stringContaining('(agents/db-') as string };
  await expect(shared.ensure(id)).rejects.toMatchObject(refused);
  await expect(shared.drop(id)).rejects.toMatchObject(refused);
  expect(operator.databases).toHaveLength(1);
});

test('when a server is gone, then that is said, and none is made in its place', async () => {
  const { ensure, operator, server } = fixture();
  await ensure();
  const { namespace, name } = operator.clusters[0]?.metadata ?? {};
  server.store.remove('clusters', `${namespace}/${name}`);
  await expect(ensure()).rejects.toMatchObject({ code: 'database_gone' });
  expect(operator.clusters).toEqual([]);
});

test('when a revision asks for more or less, then a server has that, and volumes only grow', async () => {
  const { ensure, databases, id, server } = fixture();
  await ensure({ connections: 20, storage_gi: 5, cpus: 1 });
  expect(specOf()).toMatchObject({
    storage: { size: '7Gi' },
    postgresql: { parameters: { max_connections: '23' } },
  });
  const writes = () => server.requests.filter((one) => /^PATCH .*\/clusters\//.test(one)).length;
  const before = writes();
  await databases.give(id, { connections: 20, storage_gi: 5, cpus: 1 });
  expect(writes()).toBe(before);
  await databases.give(id, { storage_gi: 1, cpu_limit: 2 });
  expect(specOf()).toMatchObject({
    storage: { size: '7Gi' },
    postgresql: { parameters: { max_connections: '100' } },
    resources: { limits: { cpu: '2' } },
  });
  expect(specOf()?.resources?.requests ?? {}).toEqual({});
});

test('when a deployment is removed, then its server goes, with all that is known of it', async () => {
  const { ensure, databases, shared, id, operator, server } = fixture();
  await ensure();
  await databases.drop(id);
  expect(operator.clusters).toEqual([]);
  await expect.poll(() => operator.databases).toEqual([]);
  expect(server.store.list('secrets')).toEqual([]);
  expect(await shared.findElsewhere(id)).toBeUndefined();
  await databases.drop(id);
});

test('when a deployment names a namespace, then its server is there, and goes from there', async () => {
  const { ensure, databases, id, operator, places } = fixture();
  places.assign({ deployment_id: id, namespace: 'others', removed: false });
  await ensure();
  const [cluster] = operator.clusters;
  assert(cluster !== undefined);
  expect(cluster.metadata.namespace).toBe('others');
  await databases.drop(id);
  expect(operator.clusters).toEqual([]);
});
