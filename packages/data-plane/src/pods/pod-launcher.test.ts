import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { HostOrder } from '@roadstead/agent-server';
import { isWithin } from '@roadstead/fence';
import { silentLog } from '@roadstead/kit';
import { KubernetesClient, type Pod } from '@roadstead/kubernetes';
import { FakeApiServer, FakeRefusal } from '@roadstead/kubernetes/testing';
import { assert, describe, expect, test } from 'vitest';
import { TlsDoor } from '../doors/tls-door.ts';
import { ownCertificate } from '../testing/cluster/certificate.ts';
import { makeNamespaces, testPlaces } from '../testing/cluster/open-pods.ts';
import { playControllers } from '../testing/cluster/fake-controllers.ts';
import { projectGraphs } from '../testing/projects.ts';
import { AgentPlaces } from './agent-places.ts';
import { PodLauncher } from './pod-launcher.ts';
import { LOOK_MS } from './trouble-watch.ts';

const own = await ownCertificate();
const SECRET = 'the value of a variable';

/** A cluster whose nodes begin nothing: pods stay as they are made. */
async function openCluster() {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'data-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'artifact'));
  await writeFile(join(folder, 'artifact', 'graph.js'), '');
  const server = stack.use(await FakeApiServer.open());
  playControllers(server);
  const door = stack.use(await TlsDoor.open({ port: 0, ...own, log: silentLog }));
  const openLife = (places = opened.use(testPlaces(server.access, 'listener')), resync_ms = 60_000) => {
    const place = {
      image: 'host',
      pull_secrets: ['login'],
      address: 'data-plane:4180',
      certificate: own.certificate,
      user: 10_001,
      disk_mb: 1024,
    };
    const common = { places, door, data_folder: folder, resync_ms, log: silentLog };
    return new PodLauncher({ ...common, ...place, loginFor: async () => undefined });
  };
  const opened: AsyncDisposableStack = stack.move();
  return {
    server,
    openLife,
    order: (changes: Partial<HostOrder['revision']> = {}): HostOrder => ({
      names: { deployment_id: 'd-1', revision_id: 'r-0123456789', name: 'My Agent' },
      revision: {
        folder: join(folder, 'artifact'),
        project: projectGraphs,
        environment: { SECRET },
        ...changes,
      },
      language: 'javascript',
      writable_folder: folder,
      limits: { memory_mb: 512, cpus: 0.5 },
      api_url: 'http://roadstead.test',
    }),
    all: (resource: Parameters<typeof server.store.list>[0]) => server.store.list(resource),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

type Cluster = Awaited<ReturnType<typeof openCluster>>;
type ResourceName = Parameters<Cluster['all']>[0];

const podOf = async ({ all }: Cluster): Promise<Pod> => {
  await expect.poll(() => all('pods').length).toBe(1);
  return all('pods')[0] as unknown as Pod;
};

const report = ({ server }: Cluster, { metadata }: Pod, status: object) =>
  server.store.put('pods', {
    ...server.store.find('pods', `default/${metadata.name}`),
    status,
  } as never);

test('when a host is wanted, then its pod is restricted, and no value of a variable stands in it', async () => {
  await using cluster = await openCluster();
  const host = cluster.openLife().launch(cluster.order());
  const pod = await podOf(cluster);
  expect(JSON.stringify([cluster.all('pods'), cluster.all('deployments')])).not.toContain(SECRET);
  expect(pod.spec.imagePullSecrets).toEqual([{ name: 'login' }]);
  expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  expect(containers).toHaveLength(3);
  for (const container of containers)
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  expect(pod.spec.containers[0]?.resources?.limits).toEqual({
    memory: '512Mi',
    cpu: '500m',
    'ephemeral-storage': '1024Mi',
  });
  expect(pod.metadata.labels).toMatchObject({
    'app.kubernetes.io/instance': 'my-agent',
    'roadstead.dev/deployment-id': 'd-1',
    'roadstead.dev/revision-id': 'r-0123456789',
  });
  host.kill();
  expect(await host.ended).toEqual({ kind: 'killed', signal: 'SIGKILL' });
});

test('when a deployment names a namespace, then all that it has is there, and goes from there', async () => {
  await using cluster = await openCluster();
  const { access } = cluster.server;
  const namespaces = ['one', 'two'];
  await makeNamespaces(access, namespaces);
  await using places = new AgentPlaces({ access, namespaces, owner: 'listener', log: silentLog });
  places.assign({ deployment_id: 'd-1', namespace: 'two', removed: false });
  const launcher = cluster.openLife(places);
  const hosts = [launcher.launch(cluster.order()), launcher.launch(cluster.order())];
  const made = ['pods', 'deployments', 'secrets', 'configmaps', 'poddisruptionbudgets'] as const;
  for (const resource of made) {
    await expect.poll(() => cluster.all(resource).length).toBeGreaterThan(0);
    expect(new Set(cluster.all(resource).map(({ metadata }) => metadata.namespace))).toEqual(
      new Set(['two']),
    );
  }
  for (const host of hosts) host.kill();
  for (const resource of made) await expect.poll(() => cluster.all(resource)).toEqual([]);
});

test('when the release is removed, then what its data plane wrote goes with it', async () => {
  await using cluster = await openCluster();
  const { access } = cluster.server;
  await makeNamespaces(access, ['one']);
  await using client = new KubernetesClient({ ...access, namespace: 'one' });
  const release = 'roadstead-agents';
  const { metadata } = await client.create('configmaps', { metadata: { name: release } });
  await using places = new AgentPlaces({
    access,
    namespaces: ['one'],
    owner: 'listener',
    release,
    log: silentLog,
  });
  const host = cluster.openLife(places).launch(cluster.order());
  await expect.poll(() => cluster.all('configmaps').length).toBe(2);
  const [owner] = cluster.all('configmaps').filter(({ metadata: { name } }) => name !== release);
  expect(owner?.metadata['ownerReferences']).toEqual([
    { apiVersion: 'v1', kind: 'ConfigMap', name: release, uid: metadata.uid },
  ]);
  host.kill();
});

test('when nobody wants a host any more, then nothing of its deployment is left', async () => {
  await using cluster = await openCluster();
  const launcher = cluster.openLife();
  const hosts = [launcher.launch(cluster.order()), launcher.launch(cluster.order())];
  await expect.poll(() => cluster.all('pods').length).toBe(2);
  expect(cluster.all('deployments')).toHaveLength(1);
  await expect.poll(() => cluster.all('poddisruptionbudgets').length).toBe(1);
  hosts[0]?.kill();
  await expect.poll(() => cluster.all('pods').length).toBe(1);
  hosts[1]?.kill();
  for (const resource of ['pods', 'deployments', 'secrets', 'configmaps', 'poddisruptionbudgets'] as const)
    await expect.poll(() => cluster.all(resource)).toEqual([]);
});

test('when a life of a data plane begins, then what the one before left goes, and its own stays', async () => {
  await using cluster = await openCluster();
  cluster.openLife().launch(cluster.order());
  await podOf(cluster);
  const launcher = cluster.openLife();
  const host = launcher.launch(cluster.order());
  await expect.poll(() => cluster.all('pods').length).toBe(2);
  await launcher.removeOrphans();
  await expect.poll(() => cluster.all('pods').length).toBe(1);
  expect(await Promise.race([host.ended, Promise.resolve('goes on')])).toBe('goes on');
  host.kill();
});

test('when a pod is evicted before it began, then its host gets another one', async () => {
  await using cluster = await openCluster();
  const host = cluster.openLife().launch(cluster.order());
  const first = await podOf(cluster);
  report(cluster, first, { phase: 'Failed', reason: 'Evicted' });
  await expect
    .poll(() => cluster.all('pods').map(({ metadata }) => metadata.uid))
    .not.toContain(first.metadata.uid);
  await expect.poll(() => cluster.all('pods').length).toBe(1);
  expect(await Promise.race([host.ended, Promise.resolve('goes on')])).toBe('goes on');
  host.kill();
});

test('when a pod has an image that its node lacks, then that is the end of its host, in words', async () => {
  await using cluster = await openCluster();
  const host = cluster.openLife().launch(cluster.order());
  const state = { waiting: { reason: 'ErrImageNeverPull' } };
  const containerStatuses = [{ name: 'agent', image: 'a/b:c', state }];
  report(cluster, await podOf(cluster), { phase: 'Pending', containerStatuses });
  expect(await host.ended).toMatchObject({ kind: 'refused', code: 'image_not_found' });
});

test('when no node takes a pod, then its host waits, and the log says why', async () => {
  await using cluster = await openCluster();
  const host = cluster.openLife().launch(cluster.order());
  const message = '0/1 nodes are available: 1 Insufficient memory.';
  report(cluster, await podOf(cluster), {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  });
  const { stderr } = host.output;
  assert(stderr !== undefined);
  const lines = text(stderr);
  setTimeout(() => host.kill(), 2500);
  expect(await lines).toContain('No node of the cluster takes the pod: there is too little memory left.');
});

test('when the cluster refuses what is wanted, then the host ends with its sentence', async () => {
  await using cluster = await openCluster();
  const message = 'admission webhook "no.example.com" denied the request: not here';
  cluster.server.faults.push({
    on: /^PATCH .*\/deployments\//,
    does: new FakeRefusal(403, 'Forbidden', { message }),
    times: 5,
  });
  const host = cluster.openLife().launch(cluster.order());
  expect(await host.ended).toEqual({
    kind: 'refused',
    code: 'webhook_denied',
    sentence: 'The webhook no.example.com of the cluster denies the pod: not here.',
  });
});

test('when the API server is away for a moment, then the host has its pod after it', async () => {
  await using cluster = await openCluster();
  cluster.server.faults.push({ on: /^PATCH .*\/configmaps\//, does: 'cut', times: 2 });
  const host = cluster.openLife().launch(cluster.order());
  expect((await podOf(cluster)).spec.containers[0]?.image).toBe('host');
  host.kill();
});

test('when a revision has its own image, then the pod has it, and a copy of what it lacks', async () => {
  await using cluster = await openCluster();
  const image = { reference: 'registry/agent@sha256:1', has_shell: false, labels: { team: 'blue' } };
  const host = cluster.openLife().launch(cluster.order({ image, folder: '/deps/agent' }));
  const { spec, metadata } = await podOf(cluster);
  expect(spec.containers[0]?.image).toBe(image.reference);
  expect(metadata.labels?.['team']).toBe('blue');
  const [files] = spec.initContainers ?? [];
  const copied = JSON.parse(files?.command?.at(-1) ?? '[]') as string[];
  const mounted = spec.containers[0]?.volumeMounts?.map(({ mountPath }) => mountPath) ?? [];
  for (const paths of [copied, mounted])
    expect(paths.some((path) => isWithin(process.execPath, path))).toBe(true);
  host.kill();
});

test('when an image has a shell, then its pod keeps that and its own Node, beside ours', async () => {
  await using cluster = await openCluster();
  const image = { reference: 'registry/agent@sha256:1', has_shell: true, labels: {} };
  const host = cluster.openLife().launch(cluster.order({ image, folder: '/deps/agent' }));
  const { spec } = await podOf(cluster);
  const [files] = spec.initContainers ?? [];
  const copied = JSON.parse(files?.command?.at(-1) ?? '[]') as string[];
  expect(copied.some((path) => isWithin(process.execPath, path))).toBe(true);
  const [agent] = spec.containers;
  expect(agent?.command?.[0]).toBe('/bin/sh');
  const mounted = agent?.volumeMounts ?? [];
  const [node] = mounted.filter(({ subPath }) => subPath === process.execPath.slice(1));
  expect(node).toMatchObject({ readOnly: true });
  expect(agent?.command).toContain(node?.mountPath);
  const paths = mounted.map(({ mountPath }) => mountPath);
  expect(paths.filter((path) => path === process.execPath || isWithin('/bin/sh', path))).toEqual([]);
  host.kill();
});

test.each<[string, FakeRefusal | 'cut']>([
  ['409 Conflict', new FakeRefusal(409, 'Conflict', { message: 'the object has been modified' })],
  ['409 AlreadyExists', new FakeRefusal(409, 'AlreadyExists', { message: 'object is being deleted' })],
  ['429', new FakeRefusal(429, 'TooManyRequests', { message: 'later' })],
  ['500', new FakeRefusal(500, 'InternalError', { message: 'etcdserver: leader changed' })],
])(
  'when the API server answers %s to a deployment, then its host waits, and has its pod',
  async (_, does) => {
    await using cluster = await openCluster();
    cluster.server.faults.push({ on: /^PATCH .*\/deployments\//, does });
    const host = cluster.openLife().launch(cluster.order());
    expect((await podOf(cluster)).spec.containers[0]?.image).toBe('host');
    expect(await Promise.race([host.ended, Promise.resolve('goes on')])).toBe('goes on');
    host.kill();
  },
);

test('when no node has room, then that is told within 5 s for as long as it lasts', async () => {
  await using cluster = await openCluster();
  const told: (string | undefined)[] = [];
  const onHindrance: HostOrder['onHindrance'] = (hindrance) => told.push(hindrance?.code);
  const host = cluster.openLife().launch({ ...cluster.order(), onHindrance });
  const pod = await podOf(cluster);
  const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
  const message = '0/1 nodes are available: 1 Insufficient cpu.';
  report(cluster, pod, { phase: 'Pending', conditions: [{ ...scheduled, message }] });
  await expect.poll(() => told).toEqual(['unschedulable']);
  report(cluster, pod, { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] });
  await expect.poll(() => told).toEqual(['unschedulable', undefined]);
  // One look finds it.
  expect(LOOK_MS).toBeLessThanOrEqual(5000);
  host.kill();
  await host.ended;
  expect(told).toHaveLength(2);
});

test('when a quota keeps pods from being made, then that is told until a host has begun', async () => {
  await using cluster = await openCluster();
  const message =
    'pods "one" is forbidden: exceeded quota: all, requested: pods=1, used: pods=2, limited: pods=2';
  const does = new FakeRefusal(403, 'Forbidden', { message });
  cluster.server.faults.push({ on: /^PATCH .*\/deployments\//, does });
  const told: (string | undefined)[] = [];
  const onHindrance: HostOrder['onHindrance'] = (hindrance) => told.push(hindrance?.code);
  const host = cluster.openLife().launch({ ...cluster.order(), onHindrance });
  await expect.poll(() => told).toEqual(['quota_exceeded']);
  const containerStatuses = [{ name: 'agent', state: { running: {} } }];
  report(cluster, await podOf(cluster), { phase: 'Running', containerStatuses });
  await host.begun;
  expect(told).toEqual(['quota_exceeded', undefined]);
  host.kill();
});

test('when a webhook puts a container first, then the host is still told by its own', async () => {
  await using cluster = await openCluster();
  const host = cluster.openLife().launch(cluster.order());
  const pod = await podOf(cluster);
  const injected = { name: 'mesh', state: { terminated: { exitCode: 1, reason: 'Error' } }, restartCount: 5 };
  const statuses = (state: object) => ({
    phase: 'Running',
    containerStatuses: [injected, { name: 'agent', state }],
  });
  report(cluster, pod, statuses({ running: {} }));
  await host.begun;
  expect(await Promise.race([host.ended, Promise.resolve('goes on')])).toBe('goes on');
  report(cluster, pod, statuses({ terminated: { exitCode: 3, reason: 'Error' } }));
  expect(await host.ended).toEqual({ kind: 'exited', code: 3 });
});

describe('drift', () => {
  const SOON_MS = 40;
  const at = (resource: ResourceName, name: string) =>
    ({ resource, namespace: 'default', name, subresource: undefined }) as const;

  async function openDriftable() {
    const cluster = await openCluster();
    const launcher = cluster.openLife(undefined, SOON_MS);
    const hosts = [launcher.launch(cluster.order()), launcher.launch(cluster.order())];
    await expect.poll(() => cluster.all('poddisruptionbudgets').length).toBe(1);
    await expect.poll(() => cluster.all('pods').length).toBe(2);
    return { cluster, hosts };
  }

  test.each(['deployments', 'poddisruptionbudgets', 'configmaps', 'secrets'] as const)(
    'when somebody removes %s of a group that lives, then they are there again',
    async (resource) => {
      const { cluster, hosts } = await openDriftable();
      await using _ = cluster;
      const names = () => cluster.all(resource).map(({ metadata }) => metadata.name);
      const uids = () => cluster.all(resource).map(({ metadata }) => metadata.uid);
      const [before, lost] = [names(), uids()];
      for (const name of before) cluster.server.objects.delete(at(resource, name), {});
      await expect.poll(names).toEqual(before);
      expect(uids().filter((uid) => lost.includes(uid))).toEqual([]);
      await expect.poll(() => cluster.all('pods').length).toBe(2);
      await expect.poll(() => cluster.all('secrets').length).toBe(2);
      for (const host of hosts) host.kill();
      for (const left of ['pods', 'deployments', 'secrets', 'configmaps', 'poddisruptionbudgets'] as const)
        await expect.poll(() => cluster.all(left)).toEqual([]);
    },
  );

  test('when somebody edits what is ours, then it is as before, and what is theirs stays', async () => {
    const { cluster, hosts } = await openDriftable();
    await using _ = cluster;
    const [{ metadata: { name } } = assert.fail()] = cluster.all('deployments');
    const edit = (resource: ResourceName, body: object) =>
      cluster.server.objects.patch(at(resource, name), { body: body as never, manager: 'somebody' });
    const theirs = { annotations: { theirs: 'kept' }, labels: { team: 'red' } };
    edit('deployments', { metadata: theirs, spec: { replicas: 7, revisionHistoryLimit: 9 } });
    edit('secrets', { metadata: theirs, data: { SECRET: 'AAAA' } });
    edit('poddisruptionbudgets', { metadata: theirs, spec: { maxUnavailable: 5 } });
    const seen = (resource: ResourceName) => cluster.all(resource).find((one) => one.metadata.name === name);
    await expect
      .poll(() => seen('deployments'))
      .toMatchObject({ metadata: theirs, spec: { replicas: 2, revisionHistoryLimit: 0 } });
    const data = { SECRET: Buffer.from(SECRET).toString('base64') };
    await expect.poll(() => seen('secrets')).toMatchObject({ metadata: theirs, data });
    await expect
      .poll(() => seen('poddisruptionbudgets'))
      .toMatchObject({ metadata: theirs, spec: { maxUnavailable: 1 } });
    for (const host of hosts) host.kill();
  });
});
