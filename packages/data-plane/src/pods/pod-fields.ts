import type { Container, PodFields } from '@roadstead/contracts/control-plane';
import type { PodContainer, PodSpec, Volume } from '@roadstead/kubernetes';

/** What a deployment says of its pods, put into what we make of them. Pure. */

interface FieldsOptions {
  /** The container of the deployment's own image. */
  readonly container: string;
  readonly fields: PodFields | undefined;
  /** A login of ours for its image. */
  readonly pull_secret?: string | undefined;
}

/** As long as nobody says otherwise a container may do as little as Kubernetes calls restricted. */
export const RESTRICTED = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
} as const;

/** The secrets by which the nodes of a pod fetch its images. */
export const pulledBy = (names: readonly string[]): Pick<PodSpec, 'imagePullSecrets'> =>
  names.length === 0 ? {} : { imagePullSecrets: names.map((name) => ({ name })) };

/** Pods that are alike stand on several nodes, where there are several with room. */
export const spreadOver = (
  labels: Readonly<Record<string, string>>,
): Pick<PodSpec, 'topologySpreadConstraints'> => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: labels },
    },
  ],
});

/** A command as it is: Kubernetes puts variables in place of `$(NAME)`. */
export const literally = (command: readonly string[]): string[] =>
  command.map((part) => part.replaceAll('$', '$$$$'));

export function withFields(pod: PodSpec, { container, fields, pull_secret }: FieldsOptions): PodSpec {
  // The operator's stay: what stands beside the image of the deployment is fetched by them.
  const named = [...(pod.imagePullSecrets ?? []), ...(fields?.image_pull_secrets ?? [])];
  const logins = [...named.map(({ name }) => name), ...(pull_secret === undefined ? [] : [pull_secret])];
  const pulling = pulledBy([...new Set(logins)]);
  if (fields === undefined) return pull_secret === undefined ? pod : { ...pod, ...pulling };
  const { service_account_name: account, volumes, init_containers, sidecars } = fields;
  const before = [...(init_containers ?? []).map(containerOf), ...(sidecars ?? []).map(sidecarOf)];
  return {
    ...pod,
    // Whoever names an account wants what it may do.
    ...(account ? { serviceAccountName: account, automountServiceAccountToken: true } : {}),
    ...pulling,
    initContainers: [...before, ...(pod.initContainers ?? [])],
    containers: pod.containers.map((one) => (one.name === container ? ownContainer(one, fields) : one)),
    volumes: [...(pod.volumes ?? []), ...(volumes ?? []).map((volume) => withoutNulls(volume) as Volume)],
  };
}

function ownContainer(own: PodContainer, fields: PodFields): PodContainer {
  const { cpu, memory_mb, volume_mounts, secret_references } = fields;
  const requests = {
    ...own.resources?.requests,
    ...(cpu ? { cpu: `${Math.round(cpu * 1000)}m` } : {}),
    ...(memory_mb ? { memory: `${memory_mb}Mi` } : {}),
  };
  // What the deployment mounts is there in place of ours.
  const mounts = withoutNulls(volume_mounts ?? []) as Mounts;
  const taken = new Set(mounts.map(({ mountPath }) => mountPath));
  const secrets = secret_references.map(({ name, secret_name, secret_key }) => ({
    name,
    valueFrom: { secretKeyRef: { name: secret_name, key: secret_key } },
  }));
  return {
    ...own,
    env: [...secrets, ...(own.env ?? [])],
    volumeMounts: [...(own.volumeMounts ?? []).filter(({ mountPath }) => !taken.has(mountPath)), ...mounts],
    resources: { ...own.resources, requests },
  };
}

type Mounts = NonNullable<PodContainer['volumeMounts']>;

const containerOf = (container: Container): PodContainer => ({
  securityContext: RESTRICTED,
  ...(withoutNulls(container) as PodContainer),
});

/** A sidecar begins before the container that it is for, and ends after it (Kubernetes 1.29). */
const sidecarOf = (container: Container): PodContainer => ({
  ...containerOf(container),
  restartPolicy: 'Always',
});

/** A field that is null says nothing. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const said = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(said.map(([name, one]) => [name, withoutNulls(one)]));
}
