import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { has_cluster, InstalledChart } from './installed-chart.ts';

/** The chart with two pods of the platform and two data planes, in a real cluster, while these are replaced and killed. */

const example = fileURLToPath(new URL('../../examples/typescript-starter', import.meta.url));
const AGENTS = ['one', 'two'];
/** A lease ends, and then a first host starts in a pod. */
const LONGEST_MS = 75_000;
/** Callers try these again, as the answers say. */
const AGAIN = new Set([502, 503]);

describe.skipIf(!has_cluster)(
  'the chart with two of everything in a cluster (ROADSTEAD_TEST_KUBECONFIG)',
  () => {
    const platform = useFixture(() => InstalledChart.install({ replicas: 2 }));

    const post = async (agent: string, path: string, body: object) => {
      const answer = await platform().fetch(`${platform().url}/agents/${agent}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.status, text: await answer.text() };
    };

    /** Says something until it is answered; a run that was begun is not begun again. Answers how long that took. */
    async function say(agent: string, thread_id: string, content: string): Promise<number> {
      const began = performance.now();
      const run = { assistant_id: 'agent', input: { messages: [{ role: 'user', content }] } };
      for (;;) {
        const answer = await post(agent, `/threads/${thread_id}/runs/wait`, {
          ...run,
          if_not_exists: 'create',
          multitask_strategy: 'reject',
          on_disconnect: 'continue',
        }).catch((error: unknown) => ({ status: 503, text: String(error) }));
        if (answer.status === 200) {
          expect(answer.text).toContain(content);
          return performance.now() - began;
        }
        expect(AGAIN.has(answer.status), `${answer.status} ${answer.text}`).toBe(true);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }

    const placesOf = async () => {
      const said = await platform().kubectlOfAgents(
        'get',
        'pods',
        '-l',
        'app.kubernetes.io/component=graph-host',
        '-o',
        'jsonpath={range .items[*]}{.metadata.labels.app\\.kubernetes\\.io/instance} {.metadata.labels.roadstead\\.dev/data-plane} {.status.phase}{"\\n"}{end}',
      );
      return said.split('\n').filter((line) => line.endsWith('Running'));
    };

    /** Calls of both agents, each in one conversation, for as long as something is done. */
    async function during(work: () => Promise<unknown>): Promise<{ calls: number; longest_ms: number }> {
      const going = { value: true };
      const calling = AGENTS.map(async (agent) => {
        const thread_id = crypto.randomUUID();
        const times: number[] = [];
        for (let count = 0; going.value || count < 3; count += 1)
          times.push(await say(agent, thread_id, `message ${count}`));
        const answer = await platform().fetch(`${platform().url}/agents/${agent}/threads/${thread_id}/state`);
        const { values } = (await answer.json()) as {
          values: { messages: { type: string; content: string }[] };
        };
        const said = values.messages.filter(({ type }) => type === 'human').map(({ content }) => content);
        expect(said.filter((text, at) => text !== said[at - 1])).toEqual(
          times.map((_, at) => `message ${at}`),
        );
        return times;
      });
      calling.forEach((one) => one.catch(() => undefined));
      await work();
      going.value = false;
      const times = (await Promise.all(calling)).flat();
      return { calls: times.length, longest_ms: Math.round(Math.max(...times)) };
    }

    const tell = (what: string, { calls, longest_ms }: { calls: number; longest_ms: number }) =>
      process.stdout.write(`${what}: ${calls} calls, the longest ${longest_ms} ms\n`);

    const rolled = (name: string) => platform().kubectl('rollout', 'status', name, '--timeout=300s');

    beforeAll(async () => {
      for (const agent of AGENTS) {
        const { code, stdout, stderr } = await platform().run('deploy', example, '--name', agent);
        if (code !== 0) throw new Error(`${stdout}\n${stderr}\n${await platform().state()}`);
      }
    });

    test('when agents are called, then each data plane has one of them', async () => {
      await during(async () => undefined);
      const places = await placesOf();
      expect(new Set(places.map((line) => line.split(' ')[1])).size).toBe(2);
    });

    test('when the platform is rolled, then all calls are answered, and each once', async () => {
      const came = await during(async () => {
        await platform().kubectl('rollout', 'restart', 'deployment/roadstead-platform');
        await rolled('deployment/roadstead-platform');
      });
      tell('the platform rolled', came);
      expect(came.longest_ms).toBeLessThan(LONGEST_MS);
    });

    test('when the data planes are rolled, then agents are handed over, and all calls are answered', async () => {
      const came = await during(async () => {
        await platform().kubectl('rollout', 'restart', 'statefulset/roadstead-data-plane');
        await rolled('statefulset/roadstead-data-plane');
      });
      tell('the data planes rolled', came);
      expect(came.longest_ms).toBeLessThan(LONGEST_MS);
    });

    test('when a data plane is killed, then it comes back to what it had, and all calls are answered', async () => {
      const came = await during(async () => {
        await platform().kubectl('delete', 'pod', 'roadstead-data-plane-1', '--force', '--grace-period=0');
        await rolled('statefulset/roadstead-data-plane');
      });
      tell('a data plane killed', came);
      expect(came.longest_ms).toBeLessThan(LONGEST_MS);
    });
  },
);
