import type { Job, OwnerReference, PodSpec, Secret } from '@roadstead/kubernetes';
import type { CommandProgram } from '../ports/command-place.ts';
import { literally, pulledBy } from './pod-fields.ts';

export interface BuildPodOptions {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  /** The secrets by which nodes fetch it. */
  readonly pull_secrets: readonly string[];
  readonly user: number;
  readonly data_folder: string;
  /** The volume claim whose root is our data folder. */
  readonly claim: string;
  /** The node that has the volume; undefined where each may mount it. */
  readonly node: string | undefined;
}

/** The container of a command. */
export const BUILD = 'build';
const TEMPORARY = '/tmp';
/** A job that nobody removes is removed by Kubernetes. */
const KEPT_S = 600;

/** The environment of a command, which may have the operator's credentials in it. */
export const buildSecret = (
  { environment }: Pick<CommandProgram, 'environment'>,
  { name, labels, owner }: Pick<BuildPodOptions, 'name' | 'labels'> & { readonly owner: OwnerReference },
): Secret => ({
  metadata: { name, labels, ownerReferences: [owner] },
  type: 'Opaque',
  stringData: { ...environment, TMPDIR: TEMPORARY },
});

/** One command of a build. Of our data it sees what it reads and writes, at the same paths; all else is its image's. */
export const buildJob = (program: CommandProgram, options: BuildPodOptions): Job => ({
  metadata: { name: options.name, labels: options.labels },
  spec: {
    // It begins once its secret is there.
    suspend: true,
    backoffLimit: 0,
    ttlSecondsAfterFinished: KEPT_S,
    template: { metadata: { labels: options.labels }, spec: podOf(program, options) },
  },
});

function podOf(program: CommandProgram, options: BuildPodOptions): PodSpec {
  const { command, cwd, limits } = program;
  const { name, image, user, claim, node } = options;
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    ...pulledBy(options.pull_secrets),
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 5,
    ...(node === undefined ? {} : onNode(node)),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: BUILD,
        image,
        command: literally(command),
        workingDir: cwd,
        envFrom: [{ secretRef: { name } }],
        volumeMounts: mountsOf(program, options),
        resources: {
          requests: { cpu: '100m', memory: '256Mi' },
          limits: {
            memory: `${limits?.memory_mb ?? 0}Mi`,
            ...(limits?.cpus === undefined ? {} : { cpu: `${Math.round(limits.cpus * 1000)}m` }),
          },
        },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
  };
}

function mountsOf({ reads, writes, home }: CommandProgram, { data_folder }: BuildPodOptions) {
  const isOurData = (path: string) => path.startsWith(`${data_folder}/`);
  const mount = (path: string, { at = path, readOnly = false } = {}) => ({
    name: 'data',
    mountPath: at,
    subPath: path.slice(data_folder.length + 1),
    readOnly,
  });
  const written = [...new Set(writes)].filter(isOurData);
  return [
    ...[...new Set(reads)]
      .filter((path) => isOurData(path) && !written.includes(path))
      .map((path) => mount(path, { readOnly: true })),
    ...written.map((path) => mount(path)),
    mount(home, { at: TEMPORARY }),
  ];
}

/** No other node has the volume, whatever keeps others off it. */
const onNode = (name: string): Pick<PodSpec, 'affinity' | 'tolerations'> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
      },
    },
  },
  tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
});
