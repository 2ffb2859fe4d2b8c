import type { PodContainer, PodSpec } from '@roadstead/kubernetes';

/** What a pod that writes nothing takes of its node's disk, as a pod of a limit alone would be given a node with room for all of it. */
const LEAST_MB = 64;

interface DiskOptions {
  /** The container of the deployment's code. */
  readonly container: string;
  readonly disk_mb: number;
}

/**
 * Bounds what a pod writes to the disk of its node: what its containers write, what they print, and its volumes of the
 * node. Kubernetes adds up what they write, and what their limits allow, and evicts the pod beyond: so no container beside has a limit of its
 * own. Pure.
 */
export const withDiskLimit = (pod: PodSpec, { container, disk_mb }: DiskOptions): PodSpec => ({
  ...pod,
  ...(pod.initContainers && { initContainers: pod.initContainers.map(unlimited) }),
  containers: pod.containers.map((one) => (one.name === container ? limited(one, disk_mb) : unlimited(one))),
  ...(pod.volumes && {
    volumes: pod.volumes.map((volume) =>
      'emptyDir' in volume
        ? { ...volume, emptyDir: Object.assign({ sizeLimit: `${disk_mb}Mi` }, volume['emptyDir']) }
        : volume,
    ),
  }),
});

const DISK = 'ephemeral-storage';

const limited = (container: PodContainer, disk_mb: number): PodContainer => ({
  ...container,
  resources: {
    requests: { ...container.resources?.requests, [DISK]: `${Math.min(disk_mb, LEAST_MB)}Mi` },
    limits: { ...container.resources?.limits, [DISK]: `${disk_mb}Mi` },
  },
});

function unlimited(container: PodContainer): PodContainer {
  const { resources } = container;
  if (resources === undefined) return container;
  return {
    ...container,
    resources: Object.fromEntries(
      Object.entries(resources).map(([kind, { [DISK]: _of_pod, ...others }]) => [kind, others]),
    ),
  };
}
