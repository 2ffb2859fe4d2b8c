import { beforeAll, describe, expect, test } from 'vitest';
import { has_helm, lint, render, type Values } from './chart.ts';
import { type ManifestChecker, openManifestChecker } from './manifests.ts';

/** The chart: what it renders is what Kubernetes takes, from the oldest version that it is for to the newest. */

const elsewhere = {
  platform: { enabled: false },
  dataPlane: {
    controlPlane: { url: 'https://platform.test', listenerId: '0199d3a0-0000-7000-8000-000000000001' },
    listenerKeySecret: 'listener',
    agentUrl: 'https://agents.test/agents/{slug}',
  },
};
const postgres = { existingSecret: 'postgres' };
const inSeveral = { namespace: 'one', furtherNamespaces: ['two', 'three', 'two'] };
const resources = { requests: { cpu: 1 }, limits: { memory: '1Gi' } };

const cases: readonly (readonly [string, Values])[] = [
  ['nothing but a database', { postgres }],
  [
    'a database of CloudNativePG',
    { postgres: { cloudNativePg: { enabled: true, storageClass: 'fast', resources } } },
  ],
  [
    'an ingress and names of its own',
    {
      postgres,
      url: 'https://agents.test/',
      ingress: {
        enabled: true,
        className: 'nginx',
        hosts: ['agents.test'],
        tls: [{ hosts: ['agents.test'], secretName: 't' }],
      },
      fullnameOverride: 'a-name-that-has-forty-five-characters-in-allx',
      image: { pullSecrets: ['pull'], digest: `sha256:${'a'.repeat(64)}` },
    },
  ],
  [
    'a gateway',
    { postgres, gateway: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['agents.test'] } },
  ],
  [
    'secrets and claims that exist, and everything else set',
    {
      postgres,
      keys: { existingSecret: 'keys' },
      env: { ROADSTEAD_ALLOWED_HOSTS: '10.1.0.0/16', ROADSTEAD_IDLE_S: 60 },
      platform: {
        registryLogin: { existingSecret: 'registry' },
        persistence: { existingClaim: 'blobs' },
        nodeSelector: { a: 'b' },
        podAnnotations: { c: 'd' },
      },
      dataPlane: {
        hosts: { existingSecret: 'tls' },
        registryLogin: { existingSecret: 'registries' },
        persistence: { accessModes: ['ReadWriteMany'], storageClass: 'shared' },
        tolerations: [{ key: 'agents', operator: 'Exists' }],
        affinity: { nodeAffinity: {} },
      },
      podDisruptionBudget: { enabled: true },
      networkPolicy: { ingressFrom: [{ namespaceSelector: {} }], hostEgress: [] },
      trustedProxies: ['10.0.0.0/8'],
      service: { type: 'LoadBalancer', annotations: { e: 'f' } },
      serviceAccount: { annotations: { g: 'h' } },
    },
  ],
  [
    'blobs in a bucket, with a role',
    { postgres, platform: { blobs: { url: 's3://bucket/roadstead' }, serviceAccountName: 'with-a-role' } },
  ],
  [
    'several of each',
    {
      postgres,
      platform: { replicas: 3, blobs: { url: 's3://bucket' } },
      dataPlane: { replicas: 2 },
      podDisruptionBudget: { enabled: true },
    },
  ],
  [
    'blobs on their way from the volume to a bucket',
    {
      postgres,
      platform: {
        blobs: {
          url: 's3://bucket',
          endpoint: 'http://s3:9000',
          publicEndpoint: 'https://s3.test',
          region: 'eu-central-1',
          existingSecret: 's3',
          readVolume: true,
        },
      },
    },
  ],
  ['a data plane alone', { postgres, ...elsewhere }],
  ['agents in several namespaces', { postgres, dataPlane: { agents: inSeveral } }],
  [
    'processes in place of pods',
    { postgres, dataPlane: { compute: 'process' }, networkPolicy: { enabled: false } },
  ],
];

interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly template?: { readonly spec: PodSpec } } & PodSpec;
  readonly data?: Readonly<Record<string, string>>;
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
}

interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: object;
  readonly containers?: readonly {
    readonly name: string;
    readonly securityContext?: object;
    readonly resources?: object;
    readonly env?: readonly { readonly name: string; readonly value?: string }[];
    readonly volumeMounts?: readonly { readonly name: string }[];
  }[];
  readonly volumes?: readonly { readonly name: string }[];
}

describe.skipIf(!has_helm)('the chart (ROADSTEAD_TEST_HELM)', () => {
  let checker: ManifestChecker;
  beforeAll(async () => {
    checker = await openManifestChecker();
  });

  const manifestsOf = (text: string) => checker.read(text) as Manifest[];

  test.each(cases)('when values say %s, then Kubernetes takes what is rendered', (_case, values) => {
    expect(lint(values).refused).toBe('');
    const { text, refused } = render(values);
    expect(refused).toBe('');
    expect(checker.complaintsOf(text)).toBe('');
    for (const { kind, metadata } of manifestsOf(text)) {
      expect([kind, metadata.labels?.['app.kubernetes.io/part-of']]).toEqual([kind, 'roadstead']);
      expect(metadata.name.length).toBeLessThanOrEqual(63);
    }
  });

  test.each(cases)('when values say %s, then each pod meets the restricted profile', (_case, values) => {
    const pods = manifestsOf(render(values).text).flatMap(({ kind, spec }) =>
      kind === 'Pod' ? [spec] : (spec?.template?.spec ?? []),
    );
    expect(pods.length).toBeGreaterThan(1);
    for (const pod of pods) {
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const container of pod.containers ?? []) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources).toMatchObject({ limits: { memory: expect.anything() } });
        // Secrets come from Secrets.
        const written = (container.env ?? []).filter(
          ({ name, value }) => /_KEY$|_SECRET$/.test(name) && value !== undefined,
        );
        expect(written.filter(({ name }) => name !== 'ROADSTEAD_HOSTS_KEY')).toEqual([]);
      }
    }
  });

  test('when keys are made, then each has the form that services want', () => {
    const keys = manifestsOf(render({ postgres }).text).find(
      ({ metadata }) => metadata.name === 'roadstead-keys',
    );
    const read = Object.fromEntries(
      Object.entries(keys?.data ?? {}).map(([name, value]) => [
        name,
        Buffer.from(value, 'base64').toString(),
      ]),
    );
    expect(read['api-key']).toMatch(/^rs_\w{43}$/);
    expect(read['listener-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(read['signing-key']).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    expect(new Set(Object.values(read)).size).toBe(10);
  });

  test.each([
    ['dataPlane', 'data-plane', { name: 'DOCKER_CONFIG', value: '/etc/roadstead/registry' }],
    [
      'platform',
      'control-plane',
      { name: 'ROADSTEAD_REGISTRY_LOGIN', value: '/etc/roadstead/registry/config.json' },
    ],
  ])('when %s has a login at registries, then %s alone reads it', (part, container, variable) => {
    const values = { postgres, [part]: { registryLogin: { existingSecret: 'registries' } } };
    const pods = manifestsOf(render(values).text).flatMap(({ spec }) => spec?.template?.spec ?? []);
    const volume = {
      name: 'registry-login',
      secret: { secretName: 'registries', items: [{ key: '.dockerconfigjson', path: 'config.json' }] },
    };
    expect(pods.flatMap(({ volumes = [] }) => volumes.filter(({ name }) => name === volume.name))).toEqual([
      volume,
    ]);
    const mount = { name: volume.name, mountPath: '/etc/roadstead/registry', readOnly: true };
    const readers = pods
      .flatMap(({ containers = [] }) => containers)
      .filter(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => name === volume.name));
    expect(readers.map(({ name }) => name)).toEqual([container]);
    expect(readers[0]?.volumeMounts).toContainEqual(mount);
    expect(readers[0]?.env).toContainEqual(variable);
  });

  test('when values change, then what the data plane may do does not', () => {
    const roles = [cases[0], cases[4], cases[5]].map((one) =>
      manifestsOf(render(one?.[1] ?? {}).text).filter(
        ({ kind }) => kind.startsWith('Role') || kind.startsWith('ClusterRole'),
      ),
    );
    expect(roles.map((found) => found.map(({ kind }) => kind).toSorted())).toEqual(
      roles.map(() => ['Role', 'Role', 'RoleBinding', 'RoleBinding']),
    );
    expect(new Set(roles.map((found) => JSON.stringify(found.map(({ rules }) => rules)))).size).toBe(1);
    const rules = roles[0]?.flatMap((role) => role.rules ?? []) ?? [];
    expect(rules.flatMap((rule) => [...rule.resources, ...rule.verbs])).not.toContain('*');
  });

  test('when deployments get database servers, then the data plane may make these as well', () => {
    const dataPlane = { databases: { cloudNativePg: { enabled: true, sizeGi: 5, storageClass: 'fast' } } };
    const [before, after] = [{ postgres }, { postgres, dataPlane }].map((values) =>
      manifestsOf(render(values).text),
    );
    const rulesOf = (manifests: typeof before = [], end: string) =>
      manifests.find(({ kind, metadata: { name } }) => kind === 'Role' && name.endsWith(end))?.rules;
    const added = {
      apiGroups: ['postgresql.cnpg.io'],
      resources: ['clusters'],
      verbs: ['list', 'create', 'patch', 'delete'],
    };
    expect(rulesOf(after, '-agents')).toEqual([...(rulesOf(before, '-agents') ?? []), added]);
    expect(rulesOf(after, '-builds')).toEqual(rulesOf(before, '-builds'));
    const [container] =
      after?.find(({ kind, metadata: { name } }) => kind === 'Deployment' && name.endsWith('-data-plane'))
        ?.spec?.template?.spec.containers ?? [];
    for (const [name, value] of [
      ['ROADSTEAD_AGENTS_DATABASES', 'cloudnativepg'],
      ['ROADSTEAD_AGENTS_DATABASE_GI', '5'],
      ['ROADSTEAD_AGENTS_DATABASE_STORAGE_CLASS', 'fast'],
    ])
      expect(container?.env).toContainEqual({ name, value });
  });

  test.each([
    ['configMap', { configMap: { name: 'company', items: [{ key: 'ca.pem', path: 'ca.crt' }] } }],
    ['secret', { secret: { secretName: 'company', items: [{ key: 'ca.pem', path: 'ca.crt' }] } }],
  ])('when authorities of a company are in a %s, then every container trusts them', (kind, source) => {
    const values = { postgres, caBundle: { [kind]: 'company', key: 'ca.pem' } };
    const pods = manifestsOf(render(values).text)
      .filter(({ metadata: { name } }) => !name.endsWith('-answers'))
      .flatMap(({ spec }) => spec?.template?.spec ?? []);
    expect(pods).toHaveLength(3);
    const variable = { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/roadstead/ca/ca.crt' };
    for (const { volumes, containers = [] } of pods) {
      expect(volumes).toContainEqual({ name: 'ca', ...source });
      for (const { env, volumeMounts } of containers) {
        expect(env).toContainEqual(variable);
        expect(volumeMounts).toContainEqual({ name: 'ca', mountPath: '/etc/roadstead/ca', readOnly: true });
      }
    }
    const all = pods.flatMap(({ containers = [] }) => containers);
    const ofBuilds = all.filter(({ env = [] }) => env.some(({ name }) => name === 'ROADSTEAD_CA_BUNDLE'));
    expect(ofBuilds.map(({ name }) => name)).toEqual(['data-plane']);
  });

  test('when agents have several namespaces, then each has its Role and its policy', () => {
    const manifests = manifestsOf(render({ postgres, dataPlane: { agents: inSeveral } }).text);
    const placesOf = (kind: string, end: string) =>
      new Set(
        manifests
          .filter(({ kind: one, metadata: { name } }) => one === kind && name.endsWith(end))
          .map(({ metadata: { namespace } }) => namespace),
      );
    for (const kind of ['Role', 'RoleBinding', 'NetworkPolicy'])
      expect(placesOf(kind, '-agents')).toEqual(new Set(['one', 'two', 'three']));
    expect(
      new Set(manifests.filter(({ kind }) => kind === 'Namespace').map(({ metadata: { name } }) => name)),
    ).toEqual(new Set(['one', 'two', 'three']));
    const env = manifests
      .flatMap(({ spec }) => spec?.template?.spec.containers ?? [])
      .flatMap((one) => one.env ?? []);
    expect(env).toContainEqual({ name: 'ROADSTEAD_AGENTS_NAMESPACE', value: 'one,two,three' });
  });

  test.each<[string, Values, RegExp]>([
    ['no database', {}, /postgres: name a Secret/],
    ['an unknown value', { postgres, replicas: 3 }, /replicas/],
    ['an address without a scheme', { postgres, url: 'agents.test' }, /url/],
    ['a size that is none', { postgres, platform: { persistence: { size: 'much' } } }, /size/],
    ['an ingress without a host', { postgres, ingress: { enabled: true } }, /hosts/],
    [
      'agents beside its own secrets',
      { postgres, dataPlane: { agents: { namespace: 'agents' } } },
      /give them another one/,
    ],
    [
      'a login that is no name of a Secret',
      { postgres, dataPlane: { registryLogin: { existingSecret: 'Registries!' } } },
      /existingSecret/,
    ],
    ['authorities twice', { postgres, caBundle: { configMap: 'a', secret: 'b' } }, /name one of them/],
    ['a port of DNS that is none', { postgres, networkPolicy: { dns: { ports: [0] } } }, /ports/],
    [
      'database servers for processes',
      { postgres, dataPlane: { compute: 'process', databases: { cloudNativePg: { enabled: true } } } },
      /for agents in pods/,
    ],
    ['root', { postgres, podSecurityContext: { runAsUser: 0 } }, /runAsUser/],
    ['a compute type that is none', { postgres, dataPlane: { compute: 'container' } }, /compute/],
    [
      'a data plane without a platform',
      { postgres, platform: { enabled: false } },
      /roadstead listener join/,
    ],
    [
      'both ways in',
      {
        postgres,
        ingress: { enabled: true, hosts: ['a.test'] },
        gateway: { enabled: true, parentRefs: [{ name: 'a' }] },
      },
      /only one of them/,
    ],
  ])('when values say %s, then they are refused', (_case, values, sentence) => {
    expect(render(values).refused).toMatch(sentence);
  });
});
