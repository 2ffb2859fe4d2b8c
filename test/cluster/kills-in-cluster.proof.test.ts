import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isNamed, useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Blow, outlive } from '../chaos/agent-users.ts';
import { InsistingCaller } from '../chaos/insisting-caller.ts';
import { agentFolder } from '../chaos/victims.ts';
import { WebhookReceiver } from '../chaos/webhook-receiver.ts';
import { has_cluster, InstalledChart, kubectl } from './installed-chart.ts';

/** What a cluster does to its pods, and worse, while agents are used: whatever was acknowledged comes to its one end. */

const {
  ROADSTEAD_TEST_POD_ADDRESS: address = '',
  ROADSTEAD_TEST_API_SERVER_RESTART: restart_api_server = '',
  ROADSTEAD_TEST_KUBELET_STOP: stop_kubelet = '',
  ROADSTEAD_TEST_KUBELET_START: start_kubelet = '',
  ROADSTEAD_TEST_NODE_RESTART: restart_node = '',
  ROADSTEAD_TEST_LINKS: has_links = '',
} = process.env;
const can_kill = has_cluster && isNamed('Kills in a cluster are', { ROADSTEAD_TEST_POD_ADDRESS: address });
const can_restart =
  can_kill &&
  isNamed('The end of an API server is', { ROADSTEAD_TEST_API_SERVER_RESTART: restart_api_server });
const can_stop =
  can_kill &&
  isNamed('A node that is lost is', {
    ROADSTEAD_TEST_KUBELET_STOP: stop_kubelet,
    ROADSTEAD_TEST_KUBELET_START: start_kubelet,
  });
const can_restart_node =
  can_kill && isNamed('A node that loses its power is', { ROADSTEAD_TEST_NODE_RESTART: restart_node });
const can_cut = can_kill && isNamed('Cuts of the network of pods are', { ROADSTEAD_TEST_LINKS: has_links });
const run = promisify(execFile);

const agents = [
  ['unhurried', agentFolder('unhurried')],
  ['unhurried-python', agentFolder('python'), '--config', 'unhurried.json'],
] as const;
const HOSTS = 'app.kubernetes.io/component=graph-host';
const AT_ONCE = ['--force', '--grace-period=0'];
const CUTS_S = [10, 60];
const ANSWER = { timeout: 180_000, interval: 500 };

describe.skipIf(!can_kill)('kills in a cluster (ROADSTEAD_TEST_KUBECONFIG)', () => {
  const hooks = useFixture(() => WebhookReceiver.open(address));
  const platform = useFixture(() =>
    InstalledChart.install({ dataPlane: { env: { ROADSTEAD_ALLOWED_HOSTS: address } } }),
  );
  beforeAll(async () => {
    for (const [name, ...what] of agents) {
      const { code, stdout, stderr } = await platform().run('deploy', ...what, '--name', name);
      if (code !== 0) throw new Error(`${stdout}\n${stderr}\n${await platform().state()}`);
    }
  });

  const deletePod = (component: string) => async () =>
    platform().kubectl('delete', 'pod', '-l', `app.kubernetes.io/component=${component}`, ...AT_ONCE);
  const shell = (command: string) => run('sh', ['-c', command]);
  /** The commands of who repairs a cluster fail while its API server is away. */
  const shellAndAnswer = async (command: string) => {
    await shell(command);
    await expect.poll(() => kubectl('get', '--raw', '/readyz').catch(String), ANSWER).toBe('ok');
    await kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=180s');
  };
  const removeHosts = () => platform().kubectlOfAgents('delete', 'pod', '-l', HOSTS, ...AT_ONCE);
  /** The node is silent, and its pods are taken for gone, as who repairs a cluster does; but their processes go on. */
  const loseNode = async () => {
    await shell(stop_kubelet);
    try {
      await kubectl('wait', '--for=condition=Ready=unknown', 'node', '--all', '--timeout=180s');
      await removeHosts();
    } finally {
      await shellAndAnswer(start_kubelet);
    }
  };
  /** Takes the network from all hosts, whose packets then go nowhere, for some seconds. */
  const cut = (seconds: number) => async () => {
    const links = await presentLinks();
    await Promise.all(links.map((link) => run('ip', ['link', 'set', 'dev', link, 'down'])));
    await pause(seconds * 1000);
    // One whose pod was replaced meanwhile is gone.
    const there = await Promise.all(links.map(async (link) => ((await hasLink(link)) ? [link] : [])));
    await Promise.all(there.flat().map((link) => run('ip', ['link', 'set', 'dev', link, 'up'])));
  };
  /** A pod that ended with its node is listed for a while, with an address and without a link. */
  const presentLinks = async () => {
    let links: readonly string[] = [];
    const look = async () => {
      const addresses = await podAddresses();
      links = await linksOf(addresses);
      return links.length > 0 && links.length === addresses.length;
    };
    await expect.poll(look, ANSWER).toBe(true);
    return links;
  };
  const podAddresses = async () => {
    const found = await platform().kubectlOfAgents(
      'get',
      'pods',
      '-l',
      HOSTS,
      '-o',
      'jsonpath={.items[*].status.podIP}',
    );
    return found.split(' ').filter((one) => one !== '');
  };

  const blows: readonly (readonly [string, Blow])[] = [
    ['hosts', removeHosts],
    ['an evicted host', () => platform().kubectlOfAgents('delete', 'pod', '-l', HOSTS)],
    ['the data plane', deletePod('data-plane')],
    ['the platform', deletePod('platform')],
    // What PostgreSQL takes for a crash.
    ['PostgreSQL', () => platform().kubectl('exec', 'postgres-0', '--', 'sh', '-c', 'kill -QUIT 1')],
    ['an upgrade', () => platform().upgrade()],
    ...(can_restart ? [['the API server', () => shellAndAnswer(restart_api_server)] as const] : []),
    ...(can_stop ? [['a node that is silent', loseNode] as const] : []),
    ...(can_restart_node ? [['the power of the node', () => shellAndAnswer(restart_node)] as const] : []),
    ...(can_cut ? CUTS_S.map((seconds) => [`the network, for ${seconds} s`, cut(seconds)] as const) : []),
  ];

  test('when anything is ended, then each run and task ends once, and each caller learns it', async () => {
    const callers = agents.map(([name]) => new InsistingCaller(platform, name));
    const taken = await outlive(
      { callers, hooks: hooks(), patience_ms: 240_000 },
      blows.map(([, blow]) => blow),
    );
    expect(Math.min(taken.tasks, taken.runs)).toBeGreaterThanOrEqual(blows.length);
  });
});

const hasLink = (link: string): Promise<boolean> =>
  run('ip', ['link', 'show', link]).then(
    () => true,
    () => false,
  );

/** The ends, in this network namespace, of the links of those pods that have one. */
async function linksOf(addresses: readonly string[]): Promise<readonly string[]> {
  const { stdout: entries } = await run('bridge', ['fdb', 'show']);
  const found = await Promise.all(
    addresses.map(async (one) => {
      const { stdout: neighbour } = await run('ip', ['neigh', 'show', one]);
      const mac = /lladdr (\S+)/.exec(neighbour)?.[1];
      return mac === undefined ? undefined : new RegExp(`^${mac} dev (\\S+)`, 'm').exec(entries)?.[1];
    }),
  );
  return found.filter((link) => link !== undefined);
}
