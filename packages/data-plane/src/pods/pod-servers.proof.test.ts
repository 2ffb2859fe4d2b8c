import { silentLog } from '@roadstead/kit';
import { findCluster, KubernetesClient } from '@roadstead/kubernetes';
import { describe } from 'vitest';
import { serverSuite } from '../testing/engine/server-suite.ts';
import { ClusterPods } from './cluster-pods.ts';
import { OWNER_LABEL } from './pod-names.ts';
import { PodOwners } from './pod-owners.ts';
import { podServers } from './pod-servers.ts';

/** A cluster whose pods this process reaches, and an image that starts `test-server.mjs` as another user than root. */
const { ROADSTEAD_TEST_KUBECONFIG: kubeconfig = '', ROADSTEAD_TEST_POD_SERVER_IMAGE: image = '' } =
  process.env;

describe.skipIf([kubeconfig, image].includes(''))('servers in pods (ROADSTEAD_TEST_KUBECONFIG)', () => {
  serverSuite({ name: 'pods of a cluster', limits_memory: true }, async () => {
    await using stack = new AsyncDisposableStack();
    const cluster = stack.use(new KubernetesClient(await findCluster({ kubeconfig, environment: {} })));
    const found = async (owner: string) =>
      (await cluster.list('pods', { labels: { [OWNER_LABEL]: owner } })).items.filter(
        ({ metadata }) => metadata.deletionTimestamp === undefined,
      );
    const opened = stack.move();
    return {
      placeFor: (owner) => {
        const pods = opened.use(new ClusterPods({ cluster, owner, owners: 'configmaps', log: silentLog }));
        const owners = new PodOwners({ pods, log: silentLog });
        return podServers({ pods, owners, loginFor: async () => undefined, log: silentLog });
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
