import { silentLog } from '@roadstead/kit';
import { findCluster, KubernetesClient } from '@roadstead/kubernetes';
import { isNamed } from '@roadstead/testing';
import { describe } from 'vitest';
import { testPlaces } from '../testing/cluster/open-pods.ts';
import { serverSuite } from '../testing/engine/server-suite.ts';
import { OWNER_LABEL } from './pod-names.ts';
import { podServers } from './pod-servers.ts';

/** A cluster whose pods this process reaches, and an image that starts `test-server.mjs` as another user than root. */
const { ROADSTEAD_TEST_KUBECONFIG: kubeconfig = '', ROADSTEAD_TEST_POD_SERVER_IMAGE: image = '' } =
  process.env;
const can_run = isNamed('Servers in pods are', {
  ROADSTEAD_TEST_KUBECONFIG: kubeconfig,
  ROADSTEAD_TEST_POD_SERVER_IMAGE: image,
});

describe.skipIf(!can_run)('servers in pods (ROADSTEAD_TEST_KUBECONFIG)', () => {
  serverSuite({ name: 'pods of a cluster', limits_memory: { reports: true } }, async () => {
    await using stack = new AsyncDisposableStack();
    const access = await findCluster({ kubeconfig, environment: {} });
    const cluster = stack.use(new KubernetesClient(access));
    const found = async (owner: string) =>
      (await cluster.list('pods', { labels: { [OWNER_LABEL]: owner } })).items.filter(
        ({ metadata }) => metadata.deletionTimestamp === undefined,
      );
    const opened = stack.move();
    return {
      placeFor: (owner) => {
        const places = opened.use(testPlaces(access, owner));
        return podServers({ places, loginFor: async () => undefined, disk_mb: 1024, log: silentLog });
      },
      image,
      killAll: async (owner) => {
        for (const { metadata } of await found(owner))
          await cluster.delete('pods', { name: metadata.name, grace_s: 0 });
      },
      count: async (owner) => (await found(owner)).length,
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  });
});
