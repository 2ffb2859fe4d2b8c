import { createRequire } from 'node:module';
import type { HostedImage, HostProgram } from '@roadstead/agent-server';
import { dialVariables } from '@roadstead/contracts/host-peer';
import type { Deployment, OwnerReference, PodContainer, PodSpec, Secret } from '@roadstead/kubernetes';
import { reachVariables } from '../doors/in-pod/reach.ts';
import { literally, pulledBy, RESTRICTED, spreadOver, withFields } from './pod-fields.ts';
import { groupDeployment } from './group-deployment.ts';
import { withDiskLimit } from './pod-disk.ts';
import type { PodFiles } from './pod-files.ts';

/** What every pod of a data plane is made with. */
export interface PodsPlace {
  /** The image of ours: it has the programs that run beside a host, and the hosts, at the same paths as here. */
  readonly image: string;
  /** The secrets by which nodes fetch it. */
  readonly pull_secrets: readonly string[];
  /** `HOST:PORT` at which pods find this data plane. */
  readonly address: string;
  /** The certificate that they find there, as PEM. */
  readonly certificate: string;
  /** The user that pods run as. */
  readonly user: number;
  /** What a pod may write to the disk of its node, with the copy of the artifact. */
  readonly disk_mb: number;
}

export interface HostPodOptions extends PodsPlace {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owner: OwnerReference;
  /** The image of the revision, where it has its own. */
  readonly revision_image: HostedImage | undefined;
  readonly files: PodFiles;
  /** A login for its image, unless the deployment's own are enough. */
  readonly pull_secret?: string | undefined;
}

/** The key by which pods of a revision are known, together with their own ids. */
const KEY = 'ROADSTEAD_HOST_KEY';
const POD_UID = 'ROADSTEAD_POD_UID';
const FILES = '/roadstead/files';
const DIAL_FOLDER = '/run/roadstead';
const DIAL_SOCKET = `${DIAL_FOLDER}/engine.sock`;
const TEMPORARY = '/tmp';
/** How long a pod that somebody else ends may take: its runs go on elsewhere. */
const GRACE_S = 30;
/** The container whose end is that of the host. */
export const HOST = 'agent';

/** Names that no volume of a deployment has. */
const [FILES_VOLUME, HOME_VOLUME, DIAL_VOLUME] = ['roadstead-files', 'roadstead-home', 'roadstead-dial'];

const { resolve } = createRequire(import.meta.url);
const ownPrograms = {
  files: resolve('@roadstead/data-plane/pod-files'),
  relay: resolve('@roadstead/data-plane/pod-relay'),
};

const restricted = { ...RESTRICTED, readOnlyRootFilesystem: true } as const;

/** The environment of a revision's hosts. A pod gets it as a secret, which nobody reads who may read pods. */
export const hostSecret = (
  { environment }: Pick<HostProgram['program'], 'environment'>,
  { name, labels, owner }: Pick<HostPodOptions, 'name' | 'labels' | 'owner'>,
): Secret => ({
  metadata: { name, labels, ownerReferences: [owner] },
  type: 'Opaque',
  stringData: { ...environment, TMPDIR: TEMPORARY },
});

/** What tells pods of the revision from others. Its hosts don't have it. */
export const keySecret = ({
  name,
  labels,
  owner,
  key,
}: Pick<HostPodOptions, 'name' | 'labels' | 'owner'> & { readonly key: string }): Secret => ({
  metadata: { name: keyNameOf(name), labels, ownerReferences: [owner] },
  type: 'Opaque',
  stringData: { [KEY]: key },
});

export const keyNameOf = (name: string): string => `${name}-key`;

/** A deployment of Kubernetes whose pods are hosts of one revision in one language, as many as are wanted. */
export function hostDeployment(
  hosted: HostProgram['program'],
  { replicas, ...options }: HostPodOptions & { readonly replicas: number },
): Deployment {
  const { revision_image, pull_secret, disk_mb } = options;
  const own = { container: HOST, fields: revision_image?.pod, pull_secret };
  const pod = withFields(podOf(hosted, options), own);
  return groupDeployment({ ...options, replicas }, withDiskLimit(pod, { container: HOST, disk_mb }));
}

function podOf(hosted: HostProgram['program'], options: HostPodOptions): PodSpec {
  const { user, labels } = options;
  return {
    automountServiceAccountToken: false,
    ...pulledBy(options.pull_secrets),
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE_S,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...spreadOver(labels),
    initContainers: [filesContainer(options), relayContainer(options)],
    containers: [hostContainer(hosted, options)],
    volumes: [
      { name: FILES_VOLUME, emptyDir: {} },
      { name: HOME_VOLUME, emptyDir: {} },
      { name: DIAL_VOLUME, emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    ],
  };
}

/** What tells a pod of this revision from all others: its id, and the key of the revision. */
const tokenVariables = (name: string) => [
  { name: POD_UID, valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
  { name: KEY, valueFrom: { secretKeyRef: { name: keyNameOf(name), key: KEY } } },
  { name: reachVariables.token, value: `$(${POD_UID}).$(${KEY})` },
];

/** The token of a pod, as it makes it itself. */
export const tokenOf = (uid: string, key: string): string => `${uid}.${key}`;

const reaching = ({ address, certificate }: PodsPlace) => [
  { name: reachVariables.address, value: address },
  { name: reachVariables.certificate, value: certificate },
];

/** Ends once the files of the host are there. */
function filesContainer(options: HostPodOptions): PodContainer {
  const { name, image, files } = options;
  return {
    name: 'roadstead-files',
    image,
    command: literally([process.execPath, ownPrograms.files, FILES, JSON.stringify(files.copied)]),
    env: [...tokenVariables(name), ...reaching(options)],
    volumeMounts: [
      { name: FILES_VOLUME, mountPath: FILES },
      { name: HOME_VOLUME, mountPath: TEMPORARY },
    ],
    resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '1', memory: '256Mi' } },
    securityContext: restricted,
  };
}

/** Goes on beside the host. */
function relayContainer(options: HostPodOptions): PodContainer {
  return {
    name: 'roadstead-relay',
    image: options.image,
    restartPolicy: 'Always',
    command: [process.execPath, '--max-old-space-size=48', ownPrograms.relay, DIAL_SOCKET],
    env: [...tokenVariables(options.name), ...reaching(options)],
    volumeMounts: [{ name: DIAL_VOLUME, mountPath: DIAL_FOLDER }],
    startupProbe: {
      exec: { command: ['/bin/sh', '-c', `test -S ${DIAL_SOCKET}`] },
      periodSeconds: 1,
      failureThreshold: 60,
    },
    resources: { requests: { cpu: '20m', memory: '48Mi' }, limits: { cpu: '1', memory: '192Mi' } },
    securityContext: restricted,
  };
}

function hostContainer(
  { command, cwd, writes, limits }: HostProgram['program'],
  options: HostPodOptions,
): PodContainer {
  const { name, image, revision_image, files } = options;
  const memory = `${limits?.memory_mb ?? 0}Mi`;
  return {
    name: HOST,
    image: revision_image?.reference ?? image,
    command: literally(command),
    workingDir: cwd,
    envFrom: [{ secretRef: { name } }],
    env: [
      { name: dialVariables.socket, value: DIAL_SOCKET },
      // The relay has the token.
      { name: dialVariables.token, value: 'by the relay' },
    ],
    volumeMounts: [
      ...files.mounted.map(({ path, real }) => ({
        name: FILES_VOLUME,
        mountPath: path,
        subPath: real.slice(1),
        readOnly: true,
      })),
      ...[...new Set(writes)].map((path) => ({ name: HOME_VOLUME, mountPath: path })),
      { name: HOME_VOLUME, mountPath: TEMPORARY },
      { name: DIAL_VOLUME, mountPath: DIAL_FOLDER, readOnly: true },
    ],
    resources: {
      requests: { cpu: '50m', memory: `${Math.min(limits?.memory_mb ?? 0, LEAST_MB)}Mi` },
      limits: {
        memory,
        ...(limits?.cpus === undefined ? {} : { cpu: `${Math.round(limits.cpus * 1000)}m` }),
      },
    },
    securityContext: restricted,
  };
}

/** What a host that does nothing takes; more is there for it up to its limit, where its node has that. */
const LEAST_MB = 192;
