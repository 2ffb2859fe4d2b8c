import { randomUUID } from 'node:crypto';
import { silentLog } from '@roadstead/kit';
import { type ClusterAccess, KubernetesClient } from '@roadstead/kubernetes';
import { TlsDoor } from '../../doors/tls-door.ts';
import { AgentPlaces } from '../../pods/agent-places.ts';
import { PodLauncher } from '../../pods/pod-launcher.ts';
import { openTestRuntime } from '../test-runtime.ts';
import type { HostedRuntime } from '../hosts-suite.ts';
import { ownCertificate } from './certificate.ts';

export interface TestClusterOptions {
  readonly access: ClusterAccess;
  /** The address at which pods find this process. */
  readonly host: string;
  /** The image of pods: it has this Node and this checkout at the same paths. */
  readonly image: string;
}

/** The runtime of a data plane whose hosts run in pods of a cluster, real or played. */
export async function openPodRuntime({ access, host, image }: TestClusterOptions): Promise<HostedRuntime> {
  await using stack = new AsyncDisposableStack();
  const own = await ownCertificate();
  const door = stack.use(await TlsDoor.open({ port: 0, ...own, log: silentLog }));
  const places = stack.use(testPlaces(access, randomUUID()));
  const opened = stack.use(
    await openTestRuntime(
      async (data_folder) =>
        new PodLauncher({
          places,
          door,
          loginFor: async () => undefined,
          image,
          pull_secrets: [],
          address: `${host}:${door.port}`,
          certificate: own.certificate,
          user: 65_534,
          disk_mb: 1024,
          data_folder,
          log: silentLog,
        }),
    ),
  );
  const all = stack.move();
  return { ...opened, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** The namespace of a connection as the only one of agents. */
export const testPlaces = (access: ClusterAccess, owner: string): AgentPlaces =>
  new AgentPlaces({ access, namespaces: [access.namespace], owner, log: silentLog });

export async function makeNamespaces(access: ClusterAccess, names: readonly string[]): Promise<void> {
  await using cluster = new KubernetesClient(access);
  for (const name of names) await cluster.create('namespaces', { metadata: { name } });
}
