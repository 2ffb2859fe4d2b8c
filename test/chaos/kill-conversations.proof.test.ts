import { readFile } from 'node:fs/promises';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { has_python, languages, needsLanguage } from '../support/languages.ts';
import { callA2a, userMessage } from '../support/platform.ts';
import { processesOf } from '../support/process-tree.ts';
import { agentFolder, HOST, KilledPlatform } from './victims.ts';

/** kill -9 of everything, one after the other, while conversations go on. */

const killed = useFixture(() => KilledPlatform.start());
const served = languages.filter((language) => language !== 'python' || has_python);
beforeAll(async () => {
  // It numbers its answers by the messages that it heard.
  for (const language of served)
    await killed().platform.run('deploy', agentFolder(language), '--name', `counting-${language}`);
});

/** The state of a process and the ticks that it has worked, from `/proc/{pid}/stat`. */
async function statOf(pid: number): Promise<readonly [state: string, ticks: number]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [fields[0] ?? '', Number(fields[11] ?? 0)];
}
const isAlive = async (pid: number) => !['', 'Z'].includes((await statOf(pid))[0]);
/** Longer than any start takes. */
const isWorking = async (pid: number) => (await statOf(pid))[1] > 300;

/** Sends a message until it is taken; by its id it stays the same one. Asks until its task has ended. */
async function answered(agent: string, params: object) {
  const ask = async (method: string, params: object) =>
    (await callA2a(killed().platform, agent, method, params).catch(() => undefined))?.result;
  for (;;) {
    const sent = await ask('message/send', params);
    const task = sent && (await ask('tasks/get', { id: sent.id }));
    if (task !== undefined && !['submitted', 'working'].includes(task.status.state)) return task;
    await new Promise((done) => setTimeout(done, 100));
  }
}

test('when everything is killed in turn, then conversations go on, each message answered once', async () => {
  const ended = { value: false };
  let turns = 0;
  const conversations = Array.from({ length: 4 }, async (_, at) => {
    const language = served[at % served.length] ?? 'javascript';
    const contextId = crypto.randomUUID();
    for (let turn = 1; !ended.value; turn += 1) {
      const task = await answered(`counting-${language}`, userMessage(`message ${turn}`, { contextId }));
      expect(task.status.state, JSON.stringify(task.status)).toBe('completed');
      expect(task.artifacts.map(({ parts }) => parts[0]?.text)).toEqual([
        `${language} ${turn}: message ${turn}`,
      ]);
      turns += 1;
    }
  });
  const killing = (async () => {
    for (const { kill } of [...killed().victims, ...killed().victims]) {
      const before = turns;
      await expect.poll(() => turns, { timeout: 120_000, interval: 5 }).toBeGreaterThan(before + 8);
      await kill();
    }
  })().finally(() => (ended.value = true));
  await Promise.all([...conversations, killing]);
});

test.for([
  ['javascript', 'endless', []],
  ['python', 'python', ['--config', 'endless.json']],
] as const)(
  'when a busy graph host of %s does not notice that the platform is killed, then it ends',
  async ([language, folder, options], context) => {
    needsLanguage(language, context);
    const { platform } = killed();
    const before = new Set(await processesOf(platform.pid, HOST));
    await platform.run('deploy', agentFolder(folder), '--name', 'endless', ...options);
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
    await killed().restart();
    await killed().platform.run('delete', 'endless', '--yes');
  },
);
