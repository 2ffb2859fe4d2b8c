import { randomUUID } from 'node:crypto';
import { silentLog } from '@roadstead/kit';
import { type ClusterAccess, KubernetesClient } from '@roadstead/kubernetes';
import { TlsDoor } from '../../doors/tls-door.ts';
import { ClusterPods } from '../../pods/cluster-pods.ts';
import { PodLauncher } from '../../pods/pod-launcher.ts';
import { PodOwners } from '../../pods/pod-owners.ts';
import { openTestRuntime } from '../test-runtime.ts';
import type { OpenedRuntime } from '../runtime-suite.ts';
import { ownCertificate } from './certificate.ts';

export interface TestClusterOptions {
  readonly access: ClusterAccess;
  /** The address at which pods find this process. */
  readonly host: string;
  /** The image of pods: it has this Node and this checkout at the same paths. */
  readonly image: string;
}

/** The runtime of a data plane whose hosts run in pods of a cluster, real or played. */
export async function openPodRuntime({ access, host, image }: TestClusterOptions): Promise<OpenedRuntime> {
  await using stack = new AsyncDisposableStack();
  const own = await ownCertificate();
  const cluster = stack.use(new KubernetesClient(access));
  const door = stack.use(await TlsDoor.open({ port: 0, ...own, log: silentLog }));
  const pods = stack.use(
    new ClusterPods({ cluster, owner: randomUUID(), owners: 'configmaps', log: silentLog }),
  );
  const opened = stack.use(
    await openTestRuntime(
      async (data_folder) =>
        new PodLauncher({
          pods,
          owners: new PodOwners({ pods, log: silentLog }),
          door,
          loginFor: async () => undefined,
          image,
          pull_secrets: [],
          address: `${host}:${door.port}`,
          certificate: own.certificate,
          user: 65_534,
          data_folder,
          log: silentLog,
        }),
    ),
  );
  const all = stack.move();
  return { ...opened, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
