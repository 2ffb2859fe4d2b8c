import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Listener } from '@roadstead/contracts/control-plane';
import { isNamed, useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { helm } from '../images/chart.ts';
import { type CommandResult, dataHome, freePort, startPlatform } from '../support/platform.ts';
import {
  apply,
  cluster_environment,
  has_cluster,
  kubectl,
  postgresOf,
  remove,
  stateOf,
  volumeOn,
} from './installed-chart.ts';

/** A listener that joins a platform outside of its cluster, as `roadstead listener join` says it. */

const {
  ROADSTEAD_TEST_POD_ADDRESS: address = '',
  ROADSTEAD_TEST_OWN_IMAGE: image = '',
  ROADSTEAD_TEST_CHART_VALUES: more_values = '{}',
} = process.env;
const can_join =
  has_cluster && isNamed('Listeners that join from a cluster are', { ROADSTEAD_TEST_POD_ADDRESS: address });
const chart = fileURLToPath(new URL('../../deploy/chart', import.meta.url));
const example = fileURLToPath(new URL('../../examples/typescript-starter', import.meta.url));
const NAME = 'joined';
const SEEN = { timeout: 120_000, interval: 500 };

/** A platform on this machine, at an address that pods reach. */
async function openPlatform() {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await dataHome());
  const port = await freePort();
  const url = `http://${address}:${port}`;
  const env = { HOST: '0.0.0.0', ROADSTEAD_URL: url };
  const running = stack.use(await startPlatform(home.path, { port, env }));
  const opened = stack.move();
  return { running, url, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** A namespace with what its user brings: a PostgreSQL with its Secret, and a volume. */
async function openNamespace() {
  const namespace = `rt-${randomUUID().slice(0, 8)}`;
  await kubectl('create', 'namespace', namespace);
  await kubectl('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted');
  const { volume } = await volumeOn({ namespace, claim: 'roadstead-data-plane', of: namespace });
  await apply(volume, ...postgresOf(namespace));
  await kubectl('-n', namespace, 'rollout', 'status', 'statefulset/postgres', '--timeout=120s');
  return { namespace, [Symbol.asyncDispose]: () => remove(namespace) };
}

/** Runs lines as a shell does, where `helm` and `kubectl` are; the last command gets one more option. */
async function runLines(lines: string, option: string): Promise<CommandResult> {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-helm-'));
  try {
    await symlink(helm, join(folder, 'helm'));
    const env = { ...cluster_environment, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    const shell = spawn('sh', ['-e'], { env, cwd: tmpdir() });
    shell.stdin.end(`${lines.trimEnd()} ${option}\n`);
    const said = Promise.all([text(shell.stdout), text(shell.stderr)]);
    const code = await new Promise<number>((done) => shell.once('close', (ended) => done(ended ?? 1)));
    const [stdout, stderr] = await said;
    return { code, stdout, stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe.skipIf(!can_join)('a listener that joins (ROADSTEAD_TEST_KUBECONFIG)', () => {
  const platform = useFixture(openPlatform);
  const cluster = useFixture(openNamespace);
  const folder = useFixture(async () => {
    const path = await mkdtemp(join(tmpdir(), 'roadstead-join-'));
    return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
  });
  let lines = '';
  const listeners = async () => {
    const answer = await platform().running.fetch(`${platform().url}/v2/listeners`);
    const { resources } = (await answer.json()) as { resources: Listener[] };
    return resources;
  };
  const joined = async () => (await listeners()).find(({ compute_id }) => compute_id === NAME);

  beforeAll(async () => {
    const { namespace } = cluster();
    const agent_url = `http://roadstead-agents.${namespace}.svc/agents/{slug}`;
    const where = ['--url', platform().url, '--namespace', namespace, '--agent-url', agent_url];
    const what = ['--image', image, '--chart', chart, '--postgres', 'postgres'];
    const { code, stdout, stderr } = await platform().running.run(
      'listener',
      'join',
      NAME,
      ...where,
      ...what,
    );
    if (code !== 0) throw new Error(stderr);
    lines = stdout;
  });

  test('when the printed lines run, then the data plane comes, and the listener is seen', async () => {
    // What packages come from is the cluster's own.
    const values = join(folder().path, 'values.json');
    await writeFile(values, more_values);
    const { code, stdout, stderr } = await runLines(lines, `--values '${values}'`);
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    await expect.poll(joined, SEEN).toMatchObject({
      last_seen_at: expect.any(String),
      served_namespaces: [`${cluster().namespace}-agents`],
    });
  });

  test('when they run again, then nothing is refused', async () => {
    const values = join(folder().path, 'values.json');
    expect(await runLines(lines, `--values '${values}'`)).toMatchObject({ code: 0 });
  });

  test('when something is deployed, then it runs there, and its Service answers', async () => {
    const { namespace } = cluster();
    const { running } = platform();
    const { code, stdout, stderr } = await running.run('deploy', example, '--name', 'agent');
    expect(code, `${stdout}\n${stderr}\n${code === 0 ? '' : await stateOf(namespace)}`).toBe(0);
    const ip = await kubectl(
      '-n',
      namespace,
      'get',
      'service',
      'roadstead-agents',
      '-o',
      'jsonpath={.spec.clusterIP}',
    );
    const port = await kubectl(
      '-n',
      namespace,
      'get',
      'service',
      'roadstead-agents',
      '-o',
      'jsonpath={.spec.ports[0].port}',
    );
    const answer = await running.fetch(`http://${ip}:${port}/agents/agent/runs/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        assistant_id: 'agent',
        input: { messages: [{ role: 'user', content: 'hello' }] },
      }),
    });
    expect(`${answer.status} ${await answer.text()}`).toMatch(/^200 [^]*hello/);
    const pods = await kubectl('-n', `${namespace}-agents`, 'get', 'pods', '-o', 'name');
    expect(pods).toContain('pod/agent-');
  });
});
