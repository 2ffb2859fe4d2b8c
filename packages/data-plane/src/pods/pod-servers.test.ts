import { silentLog } from '@roadstead/kit';
import type { Pod } from '@roadstead/kubernetes';
import { FakeApiServer, FakeRefusal } from '@roadstead/kubernetes/testing';
import { expect, test, vi } from 'vitest';
import type { ServerOrder } from '../ports/server-place.ts';
import { playControllers } from '../testing/cluster/fake-controllers.ts';
import { testPlaces } from '../testing/cluster/open-pods.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { podServers } from './pod-servers.ts';

/** A cluster whose nodes begin nothing: pods stay as they are made. */
async function openServers() {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await FakeApiServer.open());
  playControllers(server);
  const places = stack.use(testPlaces(server.access, 'listener'));
  /** The seconds that pods were given to end. */
  const graces: (number | undefined)[] = [];
  const remove = server.objects.delete.bind(server.objects);
  server.objects.delete = (at, options) => {
    const { gracePeriodSeconds } = options as { readonly gracePeriodSeconds?: number };
    if (at.resource === 'pods' && gracePeriodSeconds !== 0) graces.push(gracePeriodSeconds);
    return remove(at, options);
  };
  const loginFor = async () => undefined;
  const place = podServers({ places, loginFor, disk_mb: 1024, log: silentLog });
  const opened = stack.move();
  const podOf = async (): Promise<Pod> => {
    await expect.poll(() => server.store.list('pods').length).toBe(1);
    return server.store.list('pods')[0] as unknown as Pod;
  };
  const order: ServerOrder = {
    names: { deployment_id: 'd-1', revision_id: 'r-0123456789', name: 'My Server' },
    image: {
      reference: 'registry/server@sha256:1',
      port: 8000,
      labels: {},
      pod: { secret_references: [], image_pull_secrets: [{ name: 'own' }] },
    },
    environment: {},
    memory_mb: 256,
    cpus: undefined,
  };
  return {
    server,
    graces,
    podOf,
    order,
    servers: place,
    place: (changes: Partial<ServerOrder> = {}) => place.place({ ...order, ...changes }),
    report: async (status: object) => {
      const { metadata } = await podOf();
      const stored = server.store.find('pods', `default/${metadata.name}`);
      server.store.put('pods', { ...stored, status } as never);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

test('when a server is wanted, then its pods spread, with the deployment’s own secrets', async () => {
  await using servers = await openServers();
  const placed = servers.place();
  const ended = placed.run(() => undefined);
  const { spec, metadata } = await servers.podOf();
  expect(spec.imagePullSecrets).toEqual([{ name: 'own' }]);
  expect(spec.topologySpreadConstraints).toMatchObject([
    { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: metadata.labels } },
  ]);
  placed.kill();
  expect(await ended).toEqual({ kind: 'killed', signal: 'SIGKILL' });
});

test.each([
  [7, 7],
  [0, 1],
  [3600, 30],
])('when a server is to end within %d s, then its pod has %d s', async (grace_s, given) => {
  await using servers = await openServers();
  const placed = servers.place();
  const begun = Promise.withResolvers<void>();
  const ended = placed.run(begun.resolve);
  const injected = { name: 'mesh', state: { terminated: { exitCode: 1 } } };
  const containerStatuses = [injected, { name: 'server', state: { running: {} } }];
  await servers.report({ phase: 'Running', podIP: '10.0.0.1', containerStatuses });
  await begun.promise;
  expect(await placed.look()).toMatchObject({ kind: 'running', at: { host: '10.0.0.1', port: 8000 } });
  await placed.stop(grace_s);
  placed.kill();
  expect(await ended).toEqual({ kind: 'killed', signal: 'SIGTERM' });
  await expect.poll(() => servers.graces).toEqual([given]);
});

test('when the API server answers 409 to a deployment, then the server waits, and says why', async () => {
  await using servers = await openServers();
  const does = new FakeRefusal(409, 'Conflict', { message: 'the object has been modified' });
  servers.server.faults.push({ on: /^PATCH .*\/deployments\//, does });
  const told: (string | undefined)[] = [];
  const placed = servers.place({ onHindrance: (hindrance) => told.push(hindrance?.code) });
  const ended = placed.run(() => undefined);
  await servers.podOf();
  expect(told[0]).toBe('cluster_busy');
  placed.kill();
  expect(await ended).toEqual({ kind: 'killed', signal: 'SIGKILL' });
});

const check = { command: ['true'], interval_s: 30, start_interval_s: 5, timeout_s: 30, retries: 3 };
const reported = (of_server: object) => ({
  phase: 'Running',
  podIP: '10.0.0.1',
  containerStatuses: [
    { name: 'mesh', ready: true, state: { running: {} } },
    { name: 'server', state: { running: {} }, ...of_server },
  ],
});

test.each([
  ['a check', check, { ready: false }, false],
  ['a check', check, {}, false],
  ['a check', check, { ready: true }, true],
  ['no check', undefined, { ready: true }, undefined],
])('when an image has %s (%j) and its node says %j, then its health is %s', async (...row) => {
  const [, own, of_server, is_healthy] = row;
  await using servers = await openServers();
  const placed = servers.place({ image: { ...servers.order.image, check: own } });
  const ended = placed.run(() => undefined);
  await servers.report(reported(of_server));
  await expect.poll(() => placed.look()).toMatchObject({ kind: 'running', is_healthy });
  placed.kill();
  await ended;
});

test('when an image brings a check, then its server is ready once the node says that it passes', async () => {
  await using servers = await openServers();
  const looks = vi.fn();
  const server = new ServerProcess({
    ...servers.order,
    image: { ...servers.order.image, check },
    place: {
      place: (order) => {
        const placed = servers.servers.place(order);
        looks.mockImplementation(placed.look.bind(placed));
        return Object.assign(placed, { look: looks });
      },
    },
    start_ms: 60_000,
    unresponsive_ms: 60_000,
    onLine: () => undefined,
  });
  const { spec } = await servers.podOf();
  expect(spec.containers[0]?.readinessProbe).toMatchObject({ exec: { command: ['true'] } });
  await servers.report(reported({ ready: false }));
  await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(3);
  expect(server.at).toBeUndefined();
  await servers.report(reported({ ready: true }));
  await server.ready;
  expect(server.at).toEqual({ host: '10.0.0.1', port: 8000 });
  server.kill();
  await server.ended;
});
