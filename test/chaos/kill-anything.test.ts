import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  answerOf,
  callA2a,
  type DataHome,
  dataHome,
  type RunningPlatform,
  startPlatform,
  userMessage,
} from '../support/platform.ts';
import { killProcessesOf, processesOf } from '../support/process-tree.ts';

/** kill -9 of anything while messages are under way: every one reaches an end, and nothing that was answered is lost. */

const agentFolder = (name: string) => fileURLToPath(new URL(`../agents/${name}`, import.meta.url));
const HOST = /graph-host\/src\/main/;

let home: DataHome;
let platform: RunningPlatform;
beforeAll(async () => {
  home = await dataHome();
  platform = await startPlatform(home.path, { args: ['--example'] });
  // It numbers its answers by the messages that it heard.
  await platform.run('deploy', agentFolder('javascript'), '--name', 'counting');
}, 180_000);
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

/** Of `/proc/{pid}/stat`: the state, and the ticks that the process has worked. */
async function statOf(pid: number): Promise<readonly [state: string, ticks: number]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [fields[0] ?? '', Number(fields[11] ?? 0)];
}
const isAlive = async (pid: number) => !['', 'Z'].includes((await statOf(pid))[0]);
/** Longer than any start takes. */
const isWorking = async (pid: number) => (await statOf(pid))[1] > 300;

const byName = (pattern: RegExp) => async () => {
  expect(await killProcessesOf(platform.pid, pattern)).toBeGreaterThan(0);
};

/** Sends a message until it is taken; by its id it stays the same one. Asks until its task has ended. */
async function answered(agent: string, params: object) {
  const ask = async (method: string, params: object) =>
    (await callA2a(platform, agent, method, params).catch(() => undefined))?.result;
  for (;;) {
    const sent = await ask('message/send', params);
    const task = sent && (await ask('tasks/get', { id: sent.id }));
    if (task !== undefined && !['submitted', 'working'].includes(task.status.state)) return task;
    await new Promise((done) => setTimeout(done, 100));
  }
}

const victims: readonly (readonly [string, () => Promise<void>])[] = [
  ['a graph host', byName(HOST)],
  ['the data plane', byName(/data-plane\/src\/main/)],
  ['Postgres', byName(/bin\/postgres -D/)],
  [
    'the platform',
    async () => {
      const port = Number(new URL(platform.url).port);
      await platform.kill();
      platform = await startPlatform(home.path, { port });
    },
  ],
];

test.each(victims)(
  'kill -9 of %s during messages',
  async (_name, kill) => {
    const context = (await callA2a(platform, 'support-agent', 'message/send', userMessage('My name is Flo')))
      .result.contextId;
    const begun: string[] = [];
    const sends = Array.from({ length: 20 }, async (_, at) => {
      const params = { ...userMessage(`message ${at}`), configuration: { blocking: false } };
      // A message that was not answered may be sent again: by its id it is the same one.
      for (let attempt = 0; attempt < 240; attempt += 1) {
        const answer = await callA2a(platform, 'support-agent', 'message/send', params).catch(
          () => undefined,
        );
        if (answer?.result?.id !== undefined) return begun.push(answer.result.id);
        await new Promise((done) => setTimeout(done, 250));
      }
      throw new Error(`message ${at} was never taken`);
    });
    await expect.poll(() => begun.length, { interval: 1 }).toBeGreaterThan(2);
    await Promise.all([kill(), ...sends]);
    for (const id of begun) {
      const state = async () =>
        (await callA2a(platform, 'support-agent', 'tasks/get', { id }).catch(() => undefined))?.result?.status
          .state;
      await expect.poll(state, { timeout: 120_000, interval: 200 }).toBe('completed');
    }
    const after = await callA2a(
      platform,
      'support-agent',
      'message/send',
      userMessage('What is my name?', { contextId: context }),
    );
    expect(answerOf(after.result)).toBe('Your name is Flo.');
  },
  300_000,
);

test('conversations go on through all of it: each message is heard once, in its turn, and answered once', async () => {
  const ended = { value: false };
  let turns = 0;
  const conversations = Array.from({ length: 4 }, async () => {
    const contextId = crypto.randomUUID();
    for (let turn = 1; !ended.value; turn += 1) {
      const task = await answered('counting', userMessage(`message ${turn}`, { contextId }));
      expect(task.status.state, JSON.stringify(task.status)).toBe('completed');
      expect(task.artifacts.map(({ parts }) => parts[0]?.text)).toEqual([
        `javascript ${turn}: message ${turn}`,
      ]);
      turns += 1;
    }
  });
  const killed = (async () => {
    for (const [, kill] of [...victims, ...victims]) {
      const before = turns;
      await expect.poll(() => turns, { timeout: 120_000, interval: 5 }).toBeGreaterThan(before + 8);
      await kill();
    }
  })().finally(() => (ended.value = true));
  await Promise.all([...conversations, killed]);
}, 300_000);

test('a graph host that is too busy to notice ends with all others', async () => {
  const before = new Set(await processesOf(platform.pid, HOST));
  await platform.run('deploy', agentFolder('endless'), '--name', 'endless');
  await callA2a(platform, 'endless', 'message/send', {
    ...userMessage('think'),
    configuration: { blocking: false },
  });
  const busy = async () => (await processesOf(platform.pid, HOST)).filter((pid) => !before.has(pid));
  await expect.poll(async () => (await busy()).length).toBeGreaterThan(0);
  const pids = await busy();
  await expect.poll(async () => (await Promise.all(pids.map(isWorking))).some(Boolean)).toBe(true);
  await platform.kill();
  await expect.poll(async () => (await Promise.all(pids.map(isAlive))).some(Boolean)).toBe(false);
  platform = await startPlatform(home.path, { port: Number(new URL(platform.url).port) });
  await platform.run('delete', 'endless', '--yes');
}, 120_000);
