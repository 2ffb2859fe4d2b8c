import { silentLog } from '@roadstead/kit';
import type { KubernetesClient, KubernetesObject, ResourceName } from '@roadstead/kubernetes';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type PodFields,
  Container,
  ResourceSpec,
  Volume,
  VolumeMount,
} from '../../packages/contracts/src/control-plane/resource-spec.ts';
import {
  type BuildPodOptions,
  buildJob,
  buildSecret,
} from '../../packages/data-plane/src/pods/build-manifests.ts';
import type { ClusterPods } from '../../packages/data-plane/src/pods/cluster-pods.ts';
import { applyBudget } from '../../packages/data-plane/src/pods/disruption-budget.ts';
import { hostDeployment, hostSecret, keySecret } from '../../packages/data-plane/src/pods/pod-manifests.ts';
import { hostLabels, markLabels, serverLabels } from '../../packages/data-plane/src/pods/pod-names.ts';
import { PodOwners } from '../../packages/data-plane/src/pods/pod-owners.ts';
import { applyPullSecret } from '../../packages/data-plane/src/pods/pull-secret.ts';
import { serverDeployment, serverSecret } from '../../packages/data-plane/src/pods/server-manifests.ts';
import { apiResources } from '../../packages/kubernetes/src/resource-paths.ts';
import { type ManifestChecker, openManifestChecker } from './manifests.ts';

/** What the data plane writes to a cluster: what Kubernetes takes, from the oldest version to the newest. */

/** As the client sends it. */
const sent = (resource: ResourceName, object: KubernetesObject) => {
  const { apiVersion, kind } = apiResources[resource];
  return { apiVersion, kind, ...object };
};
type Manifest = ReturnType<typeof sent>;

/** A cluster that keeps what is applied. */
function recorder() {
  const applied: Manifest[] = [];
  const cluster = {
    apply: async (resource: ResourceName, object: KubernetesObject) => {
      applied.push(sent(resource, object));
      return { ...object, metadata: { ...object.metadata, uid: 'a-uid' } };
    },
  } as unknown as KubernetesClient;
  return { applied, cluster };
}

const names = { deployment_id: 'd-1234567890', revision_id: 'r-1234567890', name: 'My Agent' };
const marks = { owner: 'listener', life: 'life' };
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'my-agent', uid: 'a-uid' };
const name = 'my-agent-1';
const annotations = { 'roadstead.dev/deployment': names.name };
const reference = `registry.test/agent@sha256:${'a'.repeat(64)}`;
const program = {
  command: ['/usr/bin/node', '--title=$HOME', 'host.js'] as [string, ...string[]],
  cwd: '/data/artifact',
  environment: { SECRET: 'a secret' },
  reads: ['/data/packages', '/usr/lib'],
  writes: ['/data/artifact'],
  home: '/data/home',
  limits: { memory_mb: 512, cpus: 0.5 },
};
const place = {
  image: 'roadstead/roadstead',
  pull_secrets: ['login'],
  address: 'data-plane:4180',
  certificate: '-----BEGIN CERTIFICATE-----',
  user: 10_001,
};
const files = {
  sent: ['/data/artifact'],
  copied: ['/usr/lib/node_modules'],
  mounted: [{ path: '/data/artifact', real: '/data/artifact' }],
};

/** Each kind of volume, with each field that users set. */
const volumes = {
  configMap: { name: 'settings', defaultMode: 0o440, optional: true, items: [{ key: 'a', path: 'b' }] },
  secret: { secretName: 'keys', defaultMode: 0o400, items: [{ key: 'a', path: 'b', mode: 0o400 }] },
  emptyDir: { medium: 'Memory', sizeLimit: '64Mi' },
  persistentVolumeClaim: { claimName: 'data', readOnly: true },
  nfs: { server: 'nfs.test', path: '/export', readOnly: true },
  projected: {
    defaultMode: 0o440,
    sources: [
      { serviceAccountToken: { path: 'token', audience: 'vault', expirationSeconds: 3600 } },
      { configMap: { name: 'settings' } },
      { secret: { name: 'keys' } },
      { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    ],
  },
  downwardAPI: {
    items: [
      { path: 'cpu', resourceFieldRef: { containerName: 'agent', resource: 'limits.cpu', divisor: '1m' } },
    ],
  },
  csi: { driver: 'secrets.test', readOnly: true, volumeAttributes: { provider: 'a' } },
};

/** A container with every field that the contract has. */
const container = {
  name: 'beside',
  image: 'registry.test/beside:1',
  imagePullPolicy: 'IfNotPresent',
  command: ['run'],
  args: ['--fast'],
  workingDir: '/srv',
  env: [
    { name: 'A', value: 'b' },
    { name: 'HOST', value: null, valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
  ],
  envFrom: [
    { secretRef: { name: 'keys' } },
    { prefix: 'P_', configMapRef: { name: 'settings', optional: true } },
  ],
  resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m' } },
  volumeMounts: [{ name: 'v-emptydir', mountPath: '/scratch' }],
  securityContext: { runAsUser: 1000, readOnlyRootFilesystem: true },
  restartPolicy: 'Always',
};
const mount = {
  name: 'v-emptydir',
  mountPath: '/scratch',
  subPath: 'a',
  subPathExpr: null,
  mountPropagation: 'None',
  readOnly: true,
};
const kindsOfVolume = Object.entries(volumes).map(([kind, what]) => ({
  name: `v-${kind.toLowerCase()}`,
  [kind]: what,
}));

/** What only pods have of a ResourceSpec, field by field, as a caller sends it. */
const fields = {
  annotations: { 'team.test/note': 'Say what you like.' },
  service_account_name: 'agent',
  image_pull_secrets: [{ name: 'login' }],
  volumes: kindsOfVolume,
  volume_mounts: [mount, { name: 'v-csi', mountPath: '/keys', subPathExpr: '$(HOST)' }],
  init_containers: [container],
  sidecars: [{ ...container, name: 'aside' }],
  cpu: 0.5,
  memory_mb: 300,
} satisfies Record<Exclude<keyof PodFields, 'secret_references'>, unknown>;
const secret_references = [{ name: 'KEY', secret_name: 'keys', secret_key: 'one' }];

function podFieldsOf(said: object): PodFields {
  const { labels: _labels, ...spec } = ResourceSpec.parse(said);
  return { ...spec, secret_references };
}

const cases: readonly (readonly [string, PodFields | undefined])[] = [
  ['nothing', undefined],
  ['secret_references', { secret_references }],
  ...Object.entries(fields).map(([field, value]) => [field, podFieldsOf({ [field]: value })] as const),
  ...kindsOfVolume.map((volume) => [`a volume ${volume.name}`, podFieldsOf({ volumes: [volume] })] as const),
  ['everything', podFieldsOf(fields)],
];

/** All that a deployment with graphs and one with a server have in a cluster, one or several replicas of each. */
async function manifestsOf(pod: PodFields | undefined): Promise<readonly Manifest[]> {
  const image = { reference, has_shell: true, labels: { team: 'sea' }, pod };
  const written = {
    name,
    owner,
    annotations: { ...pod?.annotations, ...annotations },
    disk_mb: 1024,
  };
  const hosts = {
    ...place,
    ...written,
    files,
    labels: { ...image.labels, ...hostLabels(names, { ...marks, language: 'python', group: name }) },
    revision_image: pod && image,
  };
  const order = { image: { ...image, port: 8000 }, memory_mb: 300, cpus: 0.7 };
  const servers = { ...written, labels: serverLabels(names, { ...marks, group: name }) };
  const { environment } = program;
  const { applied, cluster } = recorder();
  const login = { username: 'a', password: 'b', serveraddress: 'registry.test' };
  const pull_secret = await applyPullSecret(cluster, { ...hosts, login });
  for (const replicas of [2, 3]) await applyBudget(cluster, { ...hosts, replicas });
  return [
    sent('secrets', hostSecret({ environment }, hosts)),
    sent('secrets', keySecret({ ...hosts, key: 'a key' })),
    sent('deployments', hostDeployment(program, { ...hosts, replicas: 1 })),
    sent('deployments', hostDeployment(program, { ...hosts, replicas: 3, pull_secret })),
    sent('secrets', serverSecret({ environment, image: order.image }, servers)),
    sent('deployments', serverDeployment(order, { ...servers, replicas: 2, pull_secret })),
    sent('deployments', serverDeployment({ ...order, cpus: undefined }, { ...servers, replicas: 1 })),
    ...applied,
  ];
}

describe('what the data plane writes to a cluster', () => {
  let checker: ManifestChecker;
  beforeAll(async () => {
    checker = await openManifestChecker();
  });
  const complaintsOf = (manifests: readonly Manifest[]) =>
    checker.complaintsOf(manifests.map((one) => JSON.stringify(one)).join('\n---\n'));

  test.each(cases)('when a deployment says %s, then Kubernetes takes its objects', async (_case, pod) => {
    const manifests = await manifestsOf(pod);
    expect(manifests.length).toBe(10);
    expect(complaintsOf(manifests)).toBe('');
  });

  test('when a deployment has objects, then Kubernetes takes what owns them', async () => {
    const { applied, cluster } = recorder();
    const pods = { cluster, marks, nextSuffix: () => 'a1' } as unknown as ClusterPods;
    await new PodOwners({ pods, log: silentLog }).hold(names).reference();
    expect(applied.map(({ kind }) => kind)).toEqual(['ConfigMap']);
    expect(complaintsOf(applied)).toBe('');
  });

  test.each<[string, Partial<BuildPodOptions>, object]>([
    ['on a volume of one node', { node: 'node-1' }, {}],
    ['on a volume of all nodes', { node: undefined, pull_secrets: [] }, { limits: { memory_mb: 512 } }],
  ])('when a build runs %s, then Kubernetes takes its job', (_case, options, changes) => {
    const all = {
      name: 'build-1',
      labels: markLabels('build', marks),
      data_folder: '/data',
      claim: 'roadstead-data-plane',
      node: undefined,
      ...place,
      ...options,
    };
    const commanded = { ...program, ...changes };
    const job = { apiVersion: 'batch/v1', kind: 'Job', name: all.name, uid: 'a-uid' };
    expect(
      complaintsOf([
        sent('jobs', buildJob(commanded, all)),
        sent('secrets', buildSecret(commanded, { ...all, owner: job })),
      ]),
    ).toBe('');
  });

  test('when the contract has a field of pods, then it is among these', () => {
    expect(Object.keys(volumes).toSorted()).toEqual(
      Object.keys(Volume.shape)
        .filter((one) => one !== 'name')
        .toSorted(),
    );
    expect(Object.keys(container).toSorted()).toEqual(Object.keys(Container.shape).toSorted());
    expect(Object.keys(mount).toSorted()).toEqual(Object.keys(VolumeMount.shape).toSorted());
  });

  test('when a manifest has a field that Kubernetes does not have, then that is seen', () => {
    const wrong = { metadata: { name }, data: {}, datum: {} };
    expect(complaintsOf([sent('configmaps', wrong)])).toMatch(/1\.29 ConfigMap[^]*1\.37 ConfigMap/);
  });
});
