import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { dataHome } from '../support/platform.ts';
import { ONE_OF_EACH } from '../support/replicas/replica-settings.ts';
import { startReplicatedPlatform } from '../support/replicas/replicated-platform.ts';

/** Two data planes of one listener, and an edge that finds agents at either over the network, as real processes. */

const home = useFixture(dataHome);
const platform = useFixture(() =>
  startReplicatedPlatform(home().path, { counts: { ...ONE_OF_EACH, 'data-plane': 2 } }),
);
const wait = { timeout: 30_000, interval: 50 };
const agent = fileURLToPath(new URL('../agents/javascript', import.meta.url));

/** The numbers of the data planes at which an agent answers. */
async function holdersOf(name: string): Promise<number[]> {
  const answers = [1, 2].map(async (number) => {
    const url = `${platform().replicas.addressOf('data-plane', number)}/agents/${name}/info`;
    const answer = await platform()
      .fetch(url)
      .catch(() => undefined);
    return answer?.status === 200 ? [number] : [];
  });
  return (await Promise.all(answers)).flat();
}

/** Says something. Where the agent goes to another data plane before it has answered, the run is joined there, as clients do it. */
async function say(name: string, thread_id: string, content: string): Promise<void> {
  const runs = `${platform().url}/agents/${name}/threads/${thread_id}/runs`;
  const read = async (asked: Promise<Response>) => {
    const answer = await asked;
    return { status: answer.status, text: await answer.text() };
  };
  const sent = platform().fetch(`${runs}/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      assistant_id: 'agent',
      if_not_exists: 'create',
      on_disconnect: 'continue',
      input: { messages: [{ role: 'user', content }] },
    }),
  });
  const answer = await read(sent).catch(async () => {
    const [begun] = (await (await platform().fetch(runs)).json()) as { run_id: string }[];
    return read(platform().fetch(`${runs}/${begun?.run_id}/join`));
  });
  expect(answer).toEqual({ status: 200, text: expect.stringContaining(content) as string });
}

async function messagesIn(name: string, thread_id: string): Promise<number> {
  const answer = await platform().fetch(`${platform().url}/agents/${name}/threads/${thread_id}/state`);
  const { values } = (await answer.json()) as { values: { messages: unknown[] } };
  return values.messages.length;
}

test('when two data planes share a listener, then each has half of the agents, and one that drains hands them over', async () => {
  for (const name of ['one', 'two']) {
    const { code, stderr } = await platform().run('deploy', agent, '--name', name);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
  }
  const before = [await holdersOf('one'), await holdersOf('two')];
  expect(before.flat().toSorted((one, next) => one - next)).toEqual([1, 2]);
  const [name = '', other = ''] = before[0]?.[0] === 1 ? ['one', 'two'] : ['two', 'one'];
  const thread_id = crypto.randomUUID();
  await say(name, thread_id, 'first');
  await say(other, crypto.randomUUID(), 'beside');

  const going = { value: true };
  let said = 1;
  const calls = (async () => {
    for (; going.value; said += 1) await say(name, thread_id, `message ${said}`);
  })();
  expect(await platform().replicas.process('data-plane', 1).stop()).toBe(0);
  await expect.poll(() => holdersOf(name), wait).toEqual([2]);
  await expect.poll(() => said, wait).toBeGreaterThan(said + 1);

  await platform().replicas.process('data-plane', 1).start();
  // One of the two comes back, whichever it is.
  const heldByFirst = async () => [await holdersOf('one'), await holdersOf('two')].filter(([at]) => at === 1);
  await expect.poll(heldByFirst, wait).toEqual([[1]]);
  await expect.poll(() => said, wait).toBeGreaterThan(said + 1);
  going.value = false;
  await calls;
  expect(await messagesIn(name, thread_id)).toBe(2 * said);
});
