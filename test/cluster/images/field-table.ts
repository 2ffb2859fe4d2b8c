import {
  type Container,
  Container as container_schema,
  type ResourceSpec,
  Volume,
  type VolumeMount,
  VolumeMount as mount_schema,
} from '@roadstead/contracts/control-plane';
import type { Pod } from '@roadstead/kubernetes';
import { expect } from 'vitest';
import { fields_without_effect, reserved_fields } from '../../images/deployed/fields-without-effect.ts';
import { NODE } from './server-image.ts';

/** What each field of a `resource_spec` does to the pods of a server, where a cluster runs it. */

/** Objects in the namespace of agents that the fields name. */
export const WORDS = 'words';
export const SHELF = 'shelf';
export const SPEAKER = 'speaker';

type VolumeKind = Exclude<keyof (typeof Volume)['shape'], 'name'>;

/** A volume that is read, by a path within it, or one that the cluster of tests has no server or driver for. */
type VolumeEffect = { readonly source: object; readonly path?: string; readonly reads?: string };

export const volume_kinds = {
  configMap: { source: { name: WORDS }, path: 'word', reads: 'of a config map' },
  secret: { source: { secretName: WORDS, defaultMode: 0o444 }, path: 'word', reads: 'of a secret' },
  emptyDir: { source: { sizeLimit: '1Mi' }, path: 'word', reads: 'of an init container' },
  persistentVolumeClaim: { source: { claimName: SHELF }, path: 'word', reads: 'of a claim' },
  projected: {
    source: {
      sources: [
        { secret: { name: WORDS, items: [{ key: 'word', path: 'of/a-secret' }] } },
        { configMap: { name: WORDS, items: [{ key: 'word', path: 'of/a-config-map' }] } },
      ],
    },
    path: 'of/a-config-map',
    reads: 'of a config map',
  },
  downwardAPI: {
    source: { items: [{ path: 'team', fieldRef: { fieldPath: "metadata.labels['team']" } }] },
    path: 'team',
    reads: 'sea',
  },
  nfs: { source: { server: '127.0.0.1', path: '/nowhere' } },
  csi: { source: { driver: 'nowhere.example.com', volumeAttributes: { share: 'a' } } },
} as const satisfies Record<VolumeKind, VolumeEffect>;

const volume_rows = Object.entries(volume_kinds) as [VolumeKind, VolumeEffect][];
export const readable = volume_rows.flatMap(([kind, { source, path, reads }]) =>
  path === undefined ? [] : [{ kind, source, path: `${folderOf(kind)}/${path}`, reads }],
);
export const nowhere = volume_rows.flatMap(([kind, { source, path }]) =>
  path === undefined ? [{ kind, source }] : [],
);

/** The volume of a kind, as a DNS label. */
const volumeOf = (kind: string) => kind.toLowerCase();
function folderOf(kind: string): string {
  return `/volumes/${kind}`;
}

const WRITE = `require('node:fs').writeFileSync(process.argv[1], 'of an init container')`;

/** All fields of a container, on one that writes what the server reads. */
export const initContainer = (image: string) =>
  ({
    name: 'writer',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: [NODE, '--eval'],
    args: [WRITE, '/shelf/word'],
    workingDir: '/tmp',
    env: [
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'PLAIN', value: 'a value' },
    ],
    envFrom: [{ configMapRef: { name: WORDS }, prefix: 'MAP_' }],
    resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '96Mi' } },
    volumeMounts: [{ name: volumeOf('emptyDir'), mountPath: '/shelf' }],
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsUser: 2000,
    },
    restartPolicy: null,
  }) satisfies Required<Container>;

const SERVE = `require('node:http').createServer((_, answer) => answer.end(
  [process.env.MAP_word, process.env.SECRET_word, process.env.TEAM].join(', '))).listen(9000)`;

/** A server beside the server. */
const sidecar = (image: string) =>
  ({
    name: 'neighbour',
    image,
    command: [NODE, '--eval', SERVE],
    env: [{ name: 'TEAM', valueFrom: { fieldRef: { fieldPath: "metadata.labels['team']" } } }],
    envFrom: [
      { configMapRef: { name: WORDS }, prefix: 'MAP_' },
      { secretRef: { name: WORDS }, prefix: 'SECRET_' },
    ],
    restartPolicy: 'Always',
  }) satisfies Container;
export const SIDECAR_SAYS = 'of a config map, of a secret, sea';

/** Further mounts, by which each field of a mount is on one. */
export const mounts: readonly VolumeMount[] = [
  ...readable.map(({ kind }) => ({ name: volumeOf(kind), mountPath: folderOf(kind), readOnly: true })),
  {
    name: volumeOf('configMap'),
    mountPath: '/mounts/one',
    subPath: 'word',
    readOnly: true,
    mountPropagation: 'None',
  },
  { name: volumeOf('persistentVolumeClaim'), mountPath: '/mounts/other', subPathExpr: '$(WORD)' },
];
export const mounted = [
  { path: '/mounts/one', reads: 'of a config map' },
  { path: '/mounts/other/word', reads: 'below a path of a variable' },
] as const;

type ServerContainer = Pod['spec']['containers'][number];
export const serverOf = ({ spec }: Pod): ServerContainer | undefined =>
  spec.containers.find(({ name }) => name === 'server');

interface SetField {
  readonly set: unknown;
  /** What of a pod shows it, and as what. */
  readonly shows?: (pod: Pod) => unknown;
  readonly as?: unknown;
}
type FieldEffect =
  | SetField
  | { readonly set: unknown; readonly without_effect: true }
  | { readonly refused: 1 };

export interface FieldImages {
  /** One that anybody gets. */
  readonly image: string;
}

const fieldTable = ({ image }: FieldImages) =>
  ({
    min_scale: { set: 2 },
    max_scale: { set: 3 },
    cpu: { set: 0.1, shows: (pod) => serverOf(pod)?.resources?.requests?.['cpu'], as: '100m' },
    cpu_limit: { set: 0.7, shows: (pod) => serverOf(pod)?.resources?.limits?.['cpu'], as: '700m' },
    memory_mb: { set: 96, shows: (pod) => serverOf(pod)?.resources?.requests?.['memory'], as: '96Mi' },
    memory_limit_mb: {
      set: 192,
      shows: (pod) => serverOf(pod)?.resources?.limits?.['memory'],
      as: '192Mi',
    },
    ...fields_without_effect,
    labels: { set: { team: 'sea' }, shows: ({ metadata }) => metadata.labels?.['team'], as: 'sea' },
    annotations: {
      set: { 'example.com/note': 'of a test' },
      shows: ({ metadata }) => metadata.annotations?.['example.com/note'],
      as: 'of a test',
    },
    service_account_name: {
      set: SPEAKER,
      shows: ({ spec }) => spec.serviceAccountName,
      as: SPEAKER,
    },
    image_pull_secrets: {
      set: [{ name: 'login' }],
      shows: ({ spec }) => spec.imagePullSecrets,
      as: [{ name: 'login' }],
    },
    volumes: {
      set: readable.map(({ kind, source }) => ({ name: volumeOf(kind), [kind]: source })),
      shows: ({ spec }) => spec.volumes?.map(({ name }) => name),
      as: expect.arrayContaining(readable.map(({ kind }) => volumeOf(kind))),
    },
    volume_mounts: {
      set: mounts,
      shows: (pod) => serverOf(pod)?.volumeMounts?.map(({ mountPath }) => mountPath),
      as: expect.arrayContaining(mounts.map(({ mountPath }) => mountPath)),
    },
    init_containers: {
      set: [initContainer(image)],
      shows: ({ spec }) => spec.initContainers?.find(({ name }) => name === 'writer'),
      as: {
        ...withoutNulls(initContainer(image)),
        // Beside the token of the account.
        volumeMounts: expect.arrayContaining(initContainer(image).volumeMounts) as unknown,
      },
    },
    sidecars: {
      set: [sidecar(image)],
      shows: ({ spec }) => spec.initContainers?.find(({ name }) => name === 'neighbour'),
      as: sidecar(image),
    },
    ...reserved_fields,
  }) as const satisfies Record<keyof ResourceSpec, FieldEffect>;

export const rowsOf = (images: FieldImages) => Object.entries(fieldTable(images)) as [string, FieldEffect][];

function withoutNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
}

/** What the contract has. */
export const contract = {
  volumes: Object.keys(Volume.shape).filter((one) => one !== 'name'),
  container: Object.keys(container_schema.shape),
  mount: Object.keys(mount_schema.shape),
};
