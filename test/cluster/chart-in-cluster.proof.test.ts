import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { type OriginalClient, originalClients } from '../support/original-clients.ts';
import { answerOf, callA2a, userMessage } from '../support/platform.ts';
import { has_cluster, InstalledChart } from './installed-chart.ts';

/** The chart as it comes, in a real cluster: graph hosts and builds are pods of their own. */

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const agentFolder = (name: string) => fileURLToPath(new URL(`../agents/${name}`, import.meta.url));
const clients = has_cluster ? await originalClients() : [];
const POLL = { timeout: 60_000, interval: 250 };

describe.skipIf(!has_cluster)('the chart in a cluster (ROADSTEAD_TEST_KUBECONFIG)', () => {
  const platform = useFixture(() => InstalledChart.install());

  const ask = async (agent: string, text: string) => {
    const answer = await platform().fetch(`${platform().url}/agents/${agent}/runs/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        assistant_id: 'agent',
        input: { messages: [{ role: 'user', content: text }] },
      }),
    });
    return `${answer.status} ${await answer.text()}`;
  };

  interface Pods {
    readonly items: readonly {
      readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
      readonly status: { readonly phase: string };
    }[];
  }
  const podsOf = async (agent: string) =>
    (
      JSON.parse(
        await platform().kubectlOfAgents(
          'get',
          'pods',
          '-l',
          `app.kubernetes.io/instance=${agent}`,
          '-o',
          'json',
        ),
      ) as Pods
    ).items;

  test('when it is tested by helm, then it answers', async () => {
    expect(await platform().test()).toMatch(/Phase:\s+Succeeded[\s\S]*\/ok 200[\s\S]*\/v2\/deployments 200/);
  });

  describe.each([
    ['typescript-starter', 'graph-host-javascript'],
    ['python-starter', 'graph-host-python'],
  ])('an agent of %s', (agent) => {
    beforeAll(async () => {
      const { code, stdout, stderr } = await platform().run('deploy', example(agent), '--name', agent);
      if (code !== 0) throw new Error(`${stdout}\n${stderr}\n${await platform().state()}`);
    });

    test('when it is called, then it answers', async () => {
      expect(await ask(agent, 'hello')).toMatch(/^200 [^]*hello/);
    });

    test('when pods are listed, then they say to which deployment and revision they belong', async () => {
      const pods = await podsOf(agent);
      expect(pods.length).toBeGreaterThan(0);
      for (const { metadata } of pods)
        expect(metadata.labels).toMatchObject({
          'app.kubernetes.io/part-of': 'roadstead',
          'app.kubernetes.io/managed-by': 'roadstead',
          'roadstead.dev/revision-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        });
    });

    test('when it is removed, then nothing of it stays', async () => {
      expect(await platform().run('delete', agent, '--yes')).toMatchObject({ code: 0 });
      await expect.poll(() => podsOf(agent), POLL).toEqual([]);
    });
  });

  test('when the original clients are tried, then what is needed for that is here', ({ skip }) => {
    const missing = clients.filter((one) => typeof one === 'string');
    skip(missing.length > 0, missing.join(' '));
    expect(clients.length).toBeGreaterThan(0);
  });

  describe('when its address is one that clients reach', () => {
    // They send sources to addresses that the platform names.
    beforeAll(() => platform().upgrade({ url: platform().url }));

    describe.each(clients.filter((one): one is OriginalClient => typeof one !== 'string'))(
      'when the client is $name',
      (client) => {
        const name = client.name.includes('PyPI') ? 'from-python' : 'from-npm';
        const langgraph = (folder: string, ...args: readonly string[]) =>
          client.run([...args, '--host-url', platform().url], {
            folder,
            env: { LANGSMITH_API_KEY: platform().key },
          });

        test.each([
          ['javascript', 'javascript'],
          ['python', 'python'],
        ])(
          'when it deploys an agent in %s, then a Job builds it and a pod answers',
          async (language, folder) => {
            const at = agentFolder(folder);
            const named = `${name}-${language}`;
            const deployed = await langgraph(at, 'deploy', '--name', named, '--no-input', '--remote');
            expect(deployed, deployed.stdout + deployed.stderr).toMatchObject({ code: 0 });
            expect(deployed.stdout).toContain(`${platform().url}/agents/${named}`);
            const { result } = await callA2a(platform(), named, 'message/send', userMessage('hello'));
            expect(answerOf(result)).toContain('1: hello');
            expect((await podsOf(named)).length).toBeGreaterThan(0);
            const list = await langgraph(at, 'deploy', 'list', '--name-contains', named);
            const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(list.stdout)?.[0] ?? '';
            const deleted = await langgraph(at, 'deploy', 'delete', id, '--force');
            expect(deleted, deleted.stderr).toMatchObject({ code: 0 });
            await expect.poll(() => podsOf(named), POLL).toEqual([]);
          },
        );
      },
    );
  });
});
