import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { has_cluster, InstalledChart } from './installed-chart.ts';

/** The chart as it comes, in a real cluster: graph hosts and builds are pods of their own. */

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
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
});
