import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Pod } from '@roadstead/kubernetes';
import { deploy, type NewDeployment } from '../../images/deployed/image-platform.ts';
import { cluster_environment, InstalledChart } from '../installed-chart.ts';
import { applyObjects } from './cluster-objects.ts';
import { makeServerLayer, serverImage } from './server-image.ts';
import { type ImageLayer, TestRegistry } from './test-registry.ts';

/** The address of these tests among the pods. */
export const { ROADSTEAD_TEST_POD_ADDRESS: address = '' } = process.env;

/** Names a namespace of agents beside the first. */
export const FURTHER = 'further';
/** Seconds that a server of a bad image may take to answer. */
const START_S = 20;
const LOGIN = { username: 'reader', password: `test-${randomUUID()}` };

/** The chart in a cluster, and registries that its nodes and its listener read. */
export interface ImageCluster extends AsyncDisposable {
  readonly chart: InstalledChart;
  readonly registry: TestRegistry;
  /** One that gives images to whoever has the login. */
  readonly closed: TestRegistry;
  /** A layer with a server. */
  readonly layer: ImageLayer;
  /** A server that answers with this as its name. */
  server(name: string, config?: Parameters<typeof serverImage>[1]['config']): string;
  /** Deploys an image, and answers once it serves; a cluster with several namespaces asks each deployment to name one. */
  deploy(asked: NewDeployment, namespace?: string): ReturnType<typeof deploy>;
  /** The pods of a deployment that nobody ends. */
  podsOf(name: string, component?: string): Promise<readonly Pod[]>;
}

export async function openImageCluster(): Promise<ImageCluster> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-images-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const layer = await makeServerLayer(folder);
  const registry = stack.use(await TestRegistry.open());
  const closed = stack.use(await TestRegistry.open({ login: LOGIN }));
  const env = { ROADSTEAD_ALLOWED_HOSTS: '127.0.0.1', ROADSTEAD_START_S: String(START_S) };
  const chart = stack.use(await InstalledChart.install({ dataPlane: { env }, further: [FURTHER] }));
  stack.use(await forward(chart, [registry.port, closed.port]));
  await applyObjects({ chart, closed, login: LOGIN });
  const opened = stack.move();
  return {
    chart,
    registry,
    closed,
    layer,
    server: (name, config) =>
      registry.add(`server-${name}`, serverImage(layer, { name, ...(config && { config }) })),
    deploy: (asked, namespace = chart.agents_namespace) => {
      const listener_config = { cluster_namespace: namespace };
      return deploy(chart, { ...asked, source_config: { ...asked.source_config, listener_config } });
    },
    podsOf: async (name, component = 'server') => {
      const labels = `app.kubernetes.io/instance=${name},app.kubernetes.io/component=${component}`;
      const told = await chart.kubectlOfAgents('get', 'pods', '-l', labels, '-o', 'json');
      const { items } = JSON.parse(told) as { items: readonly Pod[] };
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const FORWARD = `
const { connect, createServer } = require('node:net');
const [host, ...ports] = process.argv.slice(1);
process.stdin.on('end', () => process.exit(0)).resume();
let waiting = ports.length;
for (const port of ports)
  createServer((from) => {
    const to = connect(Number(port), host);
    from.pipe(to).pipe(from);
    for (const one of [from, to]) one.on('error', () => [from, to].forEach((each) => each.destroy()));
  }).listen(Number(port), '127.0.0.1', () => --waiting === 0 && console.log('forwards'));
`;

/** Leads from ports of the data plane's own loopback to the same ports of this process: its listener reads registries there without a certificate, as nodes do. */
export async function forward(chart: InstalledChart, ports: readonly number[]): Promise<AsyncDisposable> {
  const at = ['--namespace', chart.namespace, 'exec', '--stdin', 'deployment/roadstead-data-plane'];
  const program = ['--container', 'data-plane', '--', 'node', '--eval', FORWARD, address];
  const child = spawn('kubectl', [...at, ...program, ...ports.map(String)], {
    env: cluster_environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => {
      throw new Error('The data plane can’t be led to the registries.');
    }),
  ]);
  return {
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      child.kill();
      await ended;
    },
  };
}
