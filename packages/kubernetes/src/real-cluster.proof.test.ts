import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isNamed, useFixture } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { ApiConnection, valuesOf } from './api-connection.ts';
import { findCluster } from './find-cluster.ts';
import { KubernetesClient } from './kubernetes-client.ts';
import { isClusterAway } from './refusal.ts';
import { clientSuite } from './testing/client-suite.ts';

const {
  ROADSTEAD_TEST_KUBECONFIG,
  KUBECONFIG = '',
  /** An image with `/bin/sh` that the nodes have. */
  ROADSTEAD_TEST_CLUSTER_IMAGE: image,
  /** A shell command that ends the API server by force, and returns once another one answers. */
  ROADSTEAD_TEST_API_SERVER_RESTART: restart = '',
  /** For how many minutes a watch is followed. */
  ROADSTEAD_TEST_WATCH_MINUTES: watch_minutes = '',
} = process.env;
/** A cluster that may be written to. */
const kubeconfig = ROADSTEAD_TEST_KUBECONFIG ?? KUBECONFIG;
const has_cluster = isNamed('The client of Kubernetes is', {
  'ROADSTEAD_TEST_KUBECONFIG or KUBECONFIG': kubeconfig,
});
if (has_cluster) isNamed('Pods of a cluster are', { ROADSTEAD_TEST_CLUSTER_IMAGE: image });
const can_restart =
  has_cluster && isNamed('The end of an API server is', { ROADSTEAD_TEST_API_SERVER_RESTART: restart });
const can_wait =
  has_cluster && isNamed('A watch that lasts long is', { ROADSTEAD_TEST_WATCH_MINUTES: watch_minutes });
const MINUTE_MS = 60_000;
const find = () => findCluster({ kubeconfig, environment: process.env });

describe.skipIf(!has_cluster)('on a cluster (ROADSTEAD_TEST_KUBECONFIG or KUBECONFIG)', () => {
  clientSuite('real', async () => ({
    access: await find(),
    image,
    [Symbol.asyncDispose]: async () => undefined,
  }));

  const connection = useFixture(async () => new ApiConnection(await find()));
  const path = '/api/v1/namespaces/default/configmaps';
  const open = (resourceVersion: string) =>
    connection().open({
      method: 'GET',
      path,
      query: { watch: true, allowWatchBookmarks: true, timeoutSeconds: 10, resourceVersion },
    });

  test('when other objects change while a watch is quiet, then a bookmark says up to when', async () => {
    await using client = new KubernetesClient(await find());
    const { resource_version } = await client.list('configmaps', { namespace: 'default' });
    const answer = await open(resource_version);
    const elsewhere = { name: randomUUID(), namespace: 'kube-system' };
    await client.create('configmaps', { metadata: elsewhere });
    const told = await Array.fromAsync(valuesOf(answer));
    await client.delete('configmaps', elsewhere);
    expect(told).toEqual([expect.objectContaining({ type: 'BOOKMARK' })]);
  });

  test('when the moment of a watch is forgotten, then the cluster says 410 in one of two ways', async () => {
    const told = await open('1').then(
      (answer) => Array.fromAsync(valuesOf(answer)),
      ({ status }: { status: number }) => [{ type: 'ERROR', object: { code: status } }],
    );
    const gone = expect.objectContaining({ code: 410 });
    expect(told).toEqual([expect.objectContaining({ type: 'ERROR', object: gone })]);
  });

  test.skipIf(!can_restart)(
    'when the API server ends by force, then a watch goes on and misses nothing',
    async () => {
      await using client = new KubernetesClient(await find());
      const labels = { group: randomUUID() };
      const [stays, goes, comes] = [randomUUID(), randomUUID(), randomUUID()];
      const make = (name: string) => client.create('configmaps', { metadata: { name, labels } });
      await make(stays);
      await make(goes);
      const told: string[] = [];
      const aways: (Error | undefined)[] = [];
      await using watch = client.watch('configmaps', {
        labels,
        onChange: ({ type, object }) => told.push(`${type} ${object.metadata.name}`),
        onAway: (error) => aways.push(error),
      });
      await watch.ready;
      const restarted = promisify(execFile)('/bin/sh', ['-c', restart]);
      await expect.poll(() => aways.length).toBeGreaterThan(0);
      await restarted;
      await client.delete('configmaps', { name: goes });
      await make(comes);
      await expect
        .poll(() => told.slice(2), { timeout: 120_000 })
        .toEqual([`removed ${goes}`, `added ${comes}`]);
      expect(aways.at(-1)).toBeUndefined();
      for (const name of [stays, comes]) await client.delete('configmaps', { name });
    },
  );

  test.skipIf(!can_wait)(
    'when a watch lasts long, then it tells each change once, whatever its server does',
    async () => {
      await using client = new KubernetesClient(await find());
      const labels = { group: randomUUID() };
      const name = randomUUID();
      const told: (string | undefined)[] = [];
      const aways: (Error | undefined)[] = [];
      await using watch = client.watch('configmaps', {
        labels,
        onChange: ({ object }) => told.push(object.data?.['minute']),
        onAway: (error) => aways.push(error),
      });
      await watch.ready;
      const minutes = Array.from({ length: Number(watch_minutes) }, (_, at) => String(at));
      for (const minute of minutes) {
        const change = { metadata: { name, labels }, data: { minute } };
        await insist(() => client.apply('configmaps', change));
        await pause(MINUTE_MS);
      }
      await expect.poll(() => told, { timeout: MINUTE_MS }).toEqual(minutes);
      expect(aways.at(-1)).toBeUndefined();
      await client.delete('configmaps', { name });
    },
    // Each pause of the API server holds it up.
    2 * MINUTE_MS * (Number(watch_minutes) + 1),
  );
});

/** Until a cluster that is away is there again. */
async function insist(act: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const failure: unknown = await act().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return;
    if (!isClusterAway(failure)) throw failure;
    await pause(1000);
  }
}
