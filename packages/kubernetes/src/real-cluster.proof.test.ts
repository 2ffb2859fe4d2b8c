import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { useFixture } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { ApiConnection, valuesOf } from './api-connection.ts';
import { findCluster } from './find-cluster.ts';
import { KubernetesClient } from './kubernetes-client.ts';
import { clientSuite } from './testing/client-suite.ts';

const {
  ROADSTEAD_TEST_KUBECONFIG,
  KUBECONFIG = '',
  /** An image with `/bin/sh` that the nodes have. */
  ROADSTEAD_TEST_CLUSTER_IMAGE: image,
  /** A shell command that ends the API server by force, and returns once another one answers. */
  ROADSTEAD_TEST_API_SERVER_RESTART: restart = '',
} = process.env;
/** A cluster that may be written to. */
const kubeconfig = ROADSTEAD_TEST_KUBECONFIG ?? KUBECONFIG;
const find = () => findCluster({ kubeconfig, environment: process.env });

describe.skipIf(kubeconfig === '')('on a cluster (ROADSTEAD_TEST_KUBECONFIG or KUBECONFIG)', () => {
  clientSuite('real', async () => ({
    access: await find(),
    image,
    [Symbol.asyncDispose]: async () => undefined,
  }));

  const connection = useFixture(async () => new ApiConnection(await find()));
  const path = '/api/v1/namespaces/default/configmaps';
  const follow = async (query: Readonly<Record<string, string | number>>) => {
    const watch = { watch: true, allowWatchBookmarks: true, ...query };
    return await Array.fromAsync(valuesOf(await connection().open({ method: 'GET', path, query: watch })));
  };

  test('when a watch ends after its time, then a bookmark says up to when', async () => {
    const { metadata } = (await connection().ask({ method: 'GET', path })) as {
      metadata: { resourceVersion: string };
    };
    const told = await follow({ resourceVersion: metadata.resourceVersion, timeoutSeconds: 10 });
    expect(told).toContainEqual(expect.objectContaining({ type: 'BOOKMARK' }));
  });

  test('when the moment of a watch is forgotten, then the cluster says 410 in one of two ways', async () => {
    const told = await follow({ resourceVersion: 1, timeoutSeconds: 10 }).catch(
      ({ status }: { status: number }) => [{ type: 'ERROR', object: { code: status } }],
    );
    expect(told).toEqual([
      expect.objectContaining({ type: 'ERROR', object: expect.objectContaining({ code: 410 }) }),
    ]);
  });

  test.skipIf(restart === '')(
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
});
