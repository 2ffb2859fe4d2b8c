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
 * node. Kubernetes adds these up, and evicts it beyond. Pure.
 */
export const withDiskLimit = (pod: PodSpec, { container, disk_mb }: DiskOptions): PodSpec => ({
  ...pod,
  containers: pod.containers.map((one) => (one.name === container ? limited(one, disk_mb) : one)),
  ...(pod.volumes && {
    volumes: pod.volumes.map((volume) =>
      'emptyDir' in volume
        ? { ...volume, emptyDir: Object.assign({ sizeLimit: `${disk_mb}Mi` }, volume['emptyDir']) }
        : volume,
    ),
  }),
});

const limited = (container: PodContainer, disk_mb: number): PodContainer => ({
  ...container,
  resources: {
    requests: { ...container.resources?.requests, 'ephemeral-storage': `${Math.min(disk_mb, LEAST_MB)}Mi` },
    limits: { ...container.resources?.limits, 'ephemeral-storage': `${disk_mb}Mi` },
  },
});
