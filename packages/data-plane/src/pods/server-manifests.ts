import type { Deployment, PodSpec, Secret } from '@roadstead/kubernetes';
import type { ServerOrder } from '../ports/server-place.ts';
import { checkProbes } from './check-probes.ts';
import { type GroupDeployment, groupDeployment } from './group-deployment.ts';
import { withDiskLimit } from './pod-disk.ts';
import { RESTRICTED, spreadOver, withFields } from './pod-fields.ts';

export interface ServerPodOptions extends GroupDeployment {
  /** A login for its image, unless the deployment's own are enough. */
  readonly pull_secret?: string | undefined;
  readonly disk_mb: number;
}

/** The container of a server. */
export const SERVER = 'server';
/** What a server gets to end that somebody else ends. */
export const GRACE_S = 30;
/** What a server that does nothing takes; more is there for it up to its limit, where its node has that. */
const LEAST_MB = 128;

export const serverSecret = (
  { environment, image }: Pick<ServerOrder, 'environment' | 'image'>,
  { name, labels, owner }: Pick<ServerPodOptions, 'name' | 'labels' | 'owner'>,
): Secret => ({
  metadata: { name, labels, ownerReferences: [owner] },
  type: 'Opaque',
  stringData: { ...environment, PORT: String(image.port) },
});

/** A deployment of Kubernetes whose pods are servers, as their image has them: its program, its user, its folder. */
export function serverDeployment(
  order: Omit<ServerOrder, 'environment' | 'names'>,
  { pull_secret, disk_mb, ...group }: ServerPodOptions,
): Deployment {
  const own = { container: SERVER, fields: order.image.pod, pull_secret };
  return groupDeployment(
    group,
    withDiskLimit(withFields(podOf(order, group), own), { container: SERVER, disk_mb }),
  );
}

function podOf(
  { image, memory_mb, cpus }: Omit<ServerOrder, 'environment' | 'names'>,
  { name, labels }: Pick<ServerPodOptions, 'name' | 'labels'>,
): PodSpec {
  return {
    automountServiceAccountToken: false,
    ...spreadOver(labels),
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE_S,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: SERVER,
        image: image.reference,
        envFrom: [{ secretRef: { name } }],
        ports: [{ name: 'http', containerPort: image.port }],
        ...checkProbes(image.check),
        resources: {
          requests: { cpu: '50m', memory: `${Math.min(memory_mb, LEAST_MB)}Mi` },
          limits: {
            memory: `${memory_mb}Mi`,
            ...(cpus === undefined ? {} : { cpu: `${Math.round(cpus * 1000)}m` }),
          },
        },
        securityContext: RESTRICTED,
      },
    ],
  };
}
