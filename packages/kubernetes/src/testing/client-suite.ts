import { randomUUID } from 'node:crypto';
import { readLines } from '@roadstead/kit';
import { eventually, useFixture } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import {
  type ClusterAccess,
  type ConfigMap,
  type Deployment,
  keyOf,
  KubernetesClient,
  type Labels,
  type ObjectChange,
  type Pod,
} from '../index.ts';

/** The behaviour of a cluster that is built on: the same tests for the one that is played and for real ones. */
interface OpenCluster extends AsyncDisposable {
  readonly access: ClusterAccess;
  /** The name of an image whose `/bin/sh -c` runs a command; undefined where no pod runs. */
  readonly image: string | undefined;
}

const nameOf = (what: string) => `${what}-${randomUUID().slice(0, 8)}`;
const config = (name: string, data: Record<string, string> = {}, labels?: Labels): ConfigMap => ({
  metadata: { name, ...(labels === undefined ? {} : { labels }) },
  data,
});

/** A deployment without pods. */
const deploymentOf = (name: string, replicas?: number): Deployment => ({
  metadata: { name },
  spec: {
    ...(replicas === undefined ? {} : { replicas }),
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'host', image: 'registry.test/agent:1' }] },
    },
  },
});

export function clientSuite(name: string, open: () => Promise<OpenCluster>): void {
  describe(`cluster: ${name}`, () => {
    const cluster = useFixture(open);
    const opened = useFixture(() => inNamespace(cluster().access));
    const client = () => opened().client;
    asking(client);
    writing(client);
    applying(client, (manager) => new KubernetesClient(opened().access, { manager }));
    deleting(client);
    listing(client);
    watching(client);
    running(client, () => cluster().image);
  });
}

/** A client whose namespace is new, and is deleted after it. */
async function inNamespace(given: ClusterAccess) {
  const access = { ...given, namespace: nameOf('roadstead-test') };
  const client = new KubernetesClient(access);
  await client.create('namespaces', { metadata: { name: access.namespace } });
  return {
    client,
    access,
    [Symbol.asyncDispose]: async () => {
      await client.delete('namespaces', { name: access.namespace });
      await client[Symbol.asyncDispose]();
    },
  };
}

type Client = () => KubernetesClient;

function asking(client: Client): void {
  test('when a cluster is asked what it is, then it says its version and what it has', async () => {
    expect((await client().describe()).version).toMatch(/^v1\.\d+/);
    expect(await client().hasResource('apps/v1', 'deployments')).toBe(true);
    expect(await client().hasResource('v1', 'pods')).toBe(true);
    expect(await client().hasResource('apps/v1', 'nothings')).toBe(false);
    expect(await client().hasResource('nothing.example.com/v1', 'nothings')).toBe(false);
  });

  test('when it is asked what we may do, then it says so', async () => {
    expect(await client().may({ verb: 'create', resource: 'pods' })).toBe(true);
  });
}

function writing(client: Client): void {
  test('when an object is made, then it is found, and can’t be made again', async () => {
    const name = nameOf('made');
    const made = await client().create('configmaps', config(name, { a: '1' }));
    expect(made).toMatchObject({ metadata: { name, namespace: client().namespace }, data: { a: '1' } });
    expect(await client().find('configmaps', { name })).toEqual(made);
    await expect(client().create('configmaps', config(name))).rejects.toMatchObject({
      status: 409,
      reason: 'AlreadyExists',
    });
    expect(await client().find('configmaps', { name: nameOf('other') })).toBeUndefined();
  });

  test('when only the beginning of a name is given, then the cluster completes it', async () => {
    const made = await client().create('configmaps', { metadata: { generateName: 'some-' } });
    expect(made.metadata.name).toMatch(/^some-.{5}$/);
  });

  test('when an object is unfit, then the refusal names the field', async () => {
    await expect(client().create('configmaps', config('Not_a_name'))).rejects.toMatchObject({
      name: 'KubernetesRefusal',
      status: 422,
      reason: 'Invalid',
      causes: [expect.objectContaining({ field: 'metadata.name' })],
    });
  });

  test('when a namespace is not there, then nothing is made in it', async () => {
    const metadata = { name: 'x', namespace: nameOf('nowhere') };
    await expect(client().create('configmaps', { metadata })).rejects.toMatchObject({ status: 404 });
  });

  test('when a secret is given as text, then it is stored as Base64', async () => {
    const name = nameOf('secret');
    await client().create('secrets', { metadata: { name }, stringData: { key: 'välue' } });
    const found = await client().find('secrets', { name });
    expect(found?.data).toEqual({ key: Buffer.from('välue').toString('base64') });
    expect(found?.stringData).toBeUndefined();
  });

  test('when a patch is for an older version, then it is refused', async () => {
    const name = nameOf('patched');
    const { metadata } = await client().create('configmaps', config(name, { a: '1', b: '2' }));
    await client().patch('configmaps', { name, patch: { data: { a: null, c: '3' } } });
    expect((await client().find('configmaps', { name }))?.data).toEqual({ b: '2', c: '3' });
    const stale = { metadata: { resourceVersion: metadata.resourceVersion }, data: { d: '4' } };
    await expect(client().patch('configmaps', { name, patch: stale })).rejects.toMatchObject({
      status: 409,
      reason: 'Conflict',
    });
  });
}

function applying(client: Client, other: (manager: string) => KubernetesClient): void {
  test('when an object is applied, then it is made, changed, and loses what is left out', async () => {
    const name = nameOf('applied');
    const first = await client().apply('configmaps', config(name, { a: '1', b: '2' }));
    const again = await client().apply('configmaps', config(name, { a: '1', b: '2' }));
    expect(again.metadata).toMatchObject({
      uid: first.metadata.uid,
      resourceVersion: first.metadata.resourceVersion,
    });
    const changed = await client().apply('configmaps', config(name, { b: '3' }));
    expect(changed.data).toEqual({ b: '3' });
  });

  test('when others own a field, then it is left alone, refused, or taken over by force', async () => {
    const name = nameOf('shared');
    await using them = other('somebody');
    await client().apply('configmaps', config(name, { ours: '1' }));
    await them.apply('configmaps', config(name, { theirs: '1' }));
    const merged = await client().apply('configmaps', config(name, { ours: '2' }));
    expect(merged.data).toEqual({ ours: '2', theirs: '1' });
    await expect(client().apply('configmaps', config(name, { theirs: '2' }))).rejects.toMatchObject({
      status: 409,
      reason: 'Conflict',
      causes: [
        expect.objectContaining({
          reason: 'FieldManagerConflict',
          field: '.data.theirs',
          message: expect.stringContaining('somebody'),
        }),
      ],
    });
    const forced = await client().apply('configmaps', config(name, { theirs: '2' }), { force: true });
    expect(forced.data).toEqual({ theirs: '2' });
  });

  test('when an object is only tried, then it is judged and not written', async () => {
    const name = nameOf('tried');
    const tried = await client().apply('configmaps', config(name, { a: '1' }), { dry_run: true });
    expect(tried.data).toEqual({ a: '1' });
    expect(await client().find('configmaps', { name })).toBeUndefined();
  });

  test('when a list has named items, then each has its own owners', async () => {
    const name = nameOf('list');
    await using them = other('sidecars');
    const of = (names: readonly string[]): Deployment => {
      const { metadata, spec } = deploymentOf(name, 0);
      const containers = names.map((one) => ({ name: one, image: `registry.test/${one}:1` }));
      return { metadata, spec: { ...spec, template: { ...spec.template, spec: { containers } } } };
    };
    await client().apply('deployments', of(['host', 'helper']));
    await them.apply('deployments', of(['mesh']));
    const found = await client().apply('deployments', of(['host']));
    expect(found.spec.template.spec.containers.map((one) => one.name)).toEqual(['host', 'mesh']);
  });

  test('when a deployment is scaled, then its scale is no longer its applier’s', async () => {
    const name = nameOf('scaled');
    await client().apply('deployments', deploymentOf(name, 1));
    await client().scale({ name }, 2);
    await expect(client().apply('deployments', deploymentOf(name, 1))).rejects.toMatchObject({
      causes: [expect.objectContaining({ field: '.spec.replicas' })],
    });
    expect((await client().apply('deployments', deploymentOf(name))).spec.replicas).toBe(2);
  });

  test('when nobody owns the scale of a deployment, then to scale it makes nobody its owner', async () => {
    const name = nameOf('scaled');
    await client().apply('deployments', deploymentOf(name));
    await client().scale({ name }, 2);
    expect((await client().apply('deployments', deploymentOf(name, 1))).spec.replicas).toBe(1);
  });
}

function deleting(client: Client): void {
  test('when an object is deleted, then it is gone, and to delete it again does nothing', async () => {
    const name = nameOf('deleted');
    await client().create('configmaps', config(name));
    expect(await client().delete('configmaps', { name })).toBe(true);
    expect(await client().find('configmaps', { name })).toBeUndefined();
    expect(await client().delete('configmaps', { name })).toBe(false);
  });

  test('when another object has the name by now, then it is left alone', async () => {
    const name = nameOf('replaced');
    await client().create('configmaps', config(name));
    await expect(client().delete('configmaps', { name, uid: randomUUID() })).rejects.toMatchObject({
      status: 409,
      reason: 'Conflict',
    });
    expect(await client().find('configmaps', { name })).toBeDefined();
  });

  test('when an owner is deleted, then what it owns goes with it', async () => {
    const [name, owned] = [nameOf('owner'), nameOf('owned')];
    const { metadata } = await client().create('configmaps', config(name));
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid };
    await client().create('secrets', { metadata: { name: owned, ownerReferences: [owner] } });
    await client().delete('configmaps', { name, propagation: 'Background' });
    await expect.poll(() => client().find('secrets', { name: owned })).toBeUndefined();
  });
}

function listing(client: Client): void {
  test('when many objects are listed, then all of them come, and only those with the label', async () => {
    const labels = { group: nameOf('group') };
    const names = Array.from({ length: 103 }, (_, at) => nameOf(`many-${at}`));
    for (const few of chunksOf(names, 20))
      await Promise.all(few.map((name) => client().create('configmaps', config(name, {}, labels))));
    const { items, resource_version } = await client().list('configmaps', { labels });
    expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(names.toSorted());
    expect(resource_version).toMatch(/^\d+$/);
    const everywhere = await client().list('configmaps', { labels, namespace: { all: true } });
    expect(everywhere.items).toHaveLength(103);
    const one = await client().list('configmaps', { fields: { 'metadata.name': names[0] ?? '' } });
    expect(one.items).toHaveLength(1);
  });
}

function watching(client: Client): void {
  test('when objects are watched, then each change is told once, in order', async () => {
    const labels = { group: nameOf('group') };
    const before = await client().create('configmaps', config(nameOf('before'), {}, labels));
    const changes: ObjectChange<ConfigMap>[] = [];
    await using watch = client().watch('configmaps', { labels, onChange: (change) => changes.push(change) });
    await watch.ready;
    expect([...watch.objects.keys()]).toEqual([keyOf(before)]);
    const name = nameOf('watched');
    await client().create('configmaps', config(name, { a: '1' }, labels));
    await client().create('configmaps', config(nameOf('unmarked')));
    await client().apply('configmaps', config(name, { a: '2' }, labels), { force: true });
    await client().delete('configmaps', { name });
    await expect
      .poll(() => changes.map(({ type }) => type))
      .toEqual(['added', 'added', 'changed', 'removed']);
    expect(changes[2]).toMatchObject({ before: { data: { a: '1' } }, object: { data: { a: '2' } } });
    expect([...watch.objects.keys()]).toEqual([keyOf(before)]);
  });

  test('when an object ceases to have the label, or comes to have it, then it goes or comes', async () => {
    const group = nameOf('group');
    const { name } = (await client().create('configmaps', config(nameOf('marked')))).metadata;
    await using watch = client().watch('configmaps', { labels: { group } });
    await watch.ready;
    await client().patch('configmaps', { name, patch: { metadata: { labels: { group } } } });
    await expect.poll(() => watch.objects.size).toBe(1);
    await client().patch('configmaps', { name, patch: { metadata: { labels: { group: null } } } });
    await expect.poll(() => watch.objects.size).toBe(0);
  });

  test('when the server ends a watch after its time, then nothing is missed', async () => {
    const labels = { group: nameOf('group') };
    const told: string[] = [];
    await using watch = client().watch('configmaps', {
      labels,
      onChange: ({ object }) => told.push(object.data?.['a'] ?? ''),
      times: { server_s: 1 },
    });
    await watch.ready;
    const name = nameOf('often');
    const until = Date.now() + 1500;
    const wanted: string[] = [];
    await eventually(async () => {
      wanted.push(String(wanted.length));
      await client().apply('configmaps', config(name, { a: wanted.at(-1) ?? '' }, labels));
      expect(Date.now()).toBeGreaterThan(until);
    });
    await expect.poll(() => told).toEqual(wanted);
  });
}

function running(client: Client, image: () => string | undefined): void {
  const podOf = (name: string, command: string): Pod => ({
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      containers: [
        { name: 'host', image: image() ?? '', imagePullPolicy: 'Never', command: ['/bin/sh', '-c', command] },
      ],
    },
  });
  const start = async (pod: Pod) => {
    // A new namespace gets its account a moment later, and pods need one.
    await eventually(() => client().create('pods', pod));
    return { name: pod.metadata.name ?? '' };
  };

  test('when a pod prints, then its log is read, from a time on, and followed to its end', async (context) => {
    context.skip(image() === undefined, 'no image to run');
    const pod = await start(podOf(nameOf('prints'), 'echo one; sleep 1; echo two'));
    const lines: string[] = [];
    await expect.poll(async () => (await client().find('pods', pod))?.status?.phase).not.toBe('Pending');
    const log = await client().openLog(pod, { follow: true });
    const ended = new Promise((resolve) => log.once('end', resolve));
    readLines(log, { onLine: (line) => lines.push(line) });
    await ended;
    expect(lines).toEqual(['one', 'two']);
    const later = await client().openLog(pod, { since: new Date(Date.now() + 60_000) });
    expect(await later.setEncoding('utf8').toArray()).toEqual([]);
    const cut = await client().openLog(pod, { limit_bytes: 5 });
    expect((await cut.setEncoding('utf8').toArray()).join('')).toBe('one\nt');
  });

  test('when a pod is deleted, then it is there until it has ended', async (context) => {
    context.skip(image() === undefined, 'no image to run');
    const name = nameOf('ends');
    const types: string[] = [];
    await using watch = client().watch('pods', {
      fields: { 'metadata.name': name },
      onChange: ({ type, object }) =>
        types.push(type === 'changed' && object.metadata.deletionTimestamp !== undefined ? 'ending' : type),
    });
    const pod = await start(podOf(name, 'sleep 600'));
    await expect.poll(() => [...watch.objects.values()][0]?.status?.phase).toBe('Running');
    await client().delete('pods', { ...pod, grace_s: 1 });
    await expect.poll(() => types.at(-1)).toBe('removed');
    expect(types[0]).toBe('added');
    expect(types).toContain('ending');
  });

  test('when the log of a pod is asked that does not run, then it is empty, or refused in words', async () => {
    const { spec, metadata } = podOf(nameOf('unscheduled'), 'true');
    const unscheduled = await start({ metadata, spec: { ...spec, nodeSelector: { nothing: 'has-this' } } });
    expect(await (await client().openLog(unscheduled)).toArray()).toEqual([]);
    const [container] = podOf('x', 'true').spec.containers;
    const containers = container === undefined ? [] : [{ ...container, image: 'missing:1' }];
    const waits = await start({ metadata: { name: nameOf('waits') }, spec: { ...spec, containers } });
    const refused = { name: 'KubernetesRefusal', status: 400, message: expect.stringMatching(/wait/) };
    await eventually(() => expect(client().openLog(waits)).rejects.toMatchObject(refused));
    for (const pod of [unscheduled, waits]) await client().delete('pods', { ...pod, grace_s: 0 });
  });
}

const chunksOf = <T>(items: readonly T[], size: number) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
