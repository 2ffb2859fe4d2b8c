import { createHash } from 'node:crypto';
import { useFixture } from '@roadstead/testing';
import { Client } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { agentFolder } from '../chaos/victims.ts';
import { has_cluster, InstalledChart } from './installed-chart.ts';

/** What becomes of a release: an upgrade that its databases refuse, and an end after which it is installed again. */

const NAME = 'secretive';
const SECRETS = { MY_SECRET: 'one of this test', MY_PEM: 'another one' };
/** What the agent answers that has both. */
const ANSWER = createHash('sha256').update(Object.values(SECRETS).join('')).digest('hex');
const THREAD = '0199d3a0-0000-7000-8000-00000000c0de';
const FUTURE = 1_000_000;
const GONE = { timeout: 120_000, interval: 500 };

describe.skipIf(!has_cluster)('a release of the chart (ROADSTEAD_TEST_KUBECONFIG)', () => {
  const installed = useFixture(() => InstalledChart.install());
  let again: InstalledChart | undefined;
  const platform = () => again ?? installed();

  interface Thread {
    readonly values: { readonly messages: readonly { readonly content: string }[] };
  }
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const answer = await platform().fetch(`${platform().url}/agents/${NAME}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  };
  /** One more message of the conversation; answers all of it. */
  const say = async (content: string) => {
    const input = { messages: [{ role: 'user', content }] };
    const { messages } = await ask<Thread['values']>(`/threads/${THREAD}/runs/wait`, {
      assistant_id: 'agent',
      input,
    });
    return messages.map((one) => one.content);
  };
  const generationsOf = async () =>
    platform().kubectl('get', 'deployments', '-o', 'jsonpath={.items[*].metadata.generation}');
  /** Runs a statement in the database of the platform. */
  const inDatabase = async (statement: string, values: readonly unknown[]) => {
    const of = async (what: string, field: string) =>
      platform().kubectl('get', what, '-o', `jsonpath={${field}}`);
    const url = new URL(Buffer.from(await of('secret/postgres', '.data.platform-url'), 'base64').toString());
    url.hostname = await of('service/postgres', '.spec.clusterIP');
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await client.query(statement, [...values]).finally(() => client.end());
  };

  beforeAll(async () => {
    const secrets = Object.entries(SECRETS).flatMap(([name, value]) => ['--secret', `${name}=${value}`]);
    const deployed = await platform().run('deploy', agentFolder(NAME), '--name', NAME, ...secrets);
    if (deployed.code !== 0) throw new Error(`${deployed.stdout}\n${deployed.stderr}`);
    await ask('/threads', { thread_id: THREAD });
  });

  test('when the databases refuse an upgrade, then helm prints why, and what ran goes on', async () => {
    const before = await generationsOf();
    // As a newer version leaves it.
    const step = 'insert into identity.migrations (id, name, breaking) values ($1, $2, true)';
    await inDatabase(step, [FUTURE, 'of a newer version']);
    const failure: unknown = await platform()
      .upgrade()
      .catch((error: unknown) => error);
    const { stderr } = failure as { stderr: string };
    expect(stderr).toContain('The database was written by a newer Roadstead');
    expect(stderr).toMatch(/pre-upgrade hooks failed: [^]*job roadstead-migrate failed/);
    expect(await generationsOf()).toBe(before);
    expect(await say('one')).toEqual(['one', ANSWER]);
  });

  test('when the next upgrade is a good one, then it is made, and nothing is lost', async () => {
    await inDatabase('delete from identity.migrations where id = $1', [FUTURE]);
    expect(await platform().upgrade()).toContain('STATUS: deployed');
    expect(await say('two')).toEqual(['one', ANSWER, 'two', ANSWER]);
  });

  test('when it is uninstalled, then no pod of it stays, nor of its agents', async () => {
    await platform().uninstall();
    const running = async () => [
      await platform().kubectl('get', 'pods', '-l', 'app.kubernetes.io/part-of=roadstead', '-o', 'name'),
      await platform().kubectlOfAgents('get', 'pods', '-o', 'name'),
    ];
    await expect.poll(running, GONE).toEqual(['', '']);
  });

  test('when it is installed again, then its keys, agents, conversations and secrets are there', async () => {
    again = await installed().reinstall();
    expect(again.key).toBe(installed().key);
    expect(await say('three')).toEqual(['one', ANSWER, 'two', ANSWER, 'three', ANSWER]);
    const { code, stdout } = await again.run('list');
    expect([code, stdout]).toEqual([0, expect.stringContaining(NAME)]);
    expect(await again.test()).toMatch(/Phase:\s+Succeeded/);
  });
});
