import { readdir, readFile } from 'node:fs/promises';
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

/** kill -9 of anything while messages are under way: every one reaches an end, and nothing that was answered is lost. */

let home: DataHome;
let platform: RunningPlatform;
beforeAll(async () => {
  home = await dataHome();
  platform = await startPlatform(home.path, { args: ['--example'] });
}, 180_000);
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

/** Processes of this platform whose command line has the pattern, by following parents up to it. */
async function find(pattern: RegExp): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const table = await Promise.all(
    pids.map(async (pid) => {
      const [command = '', stat = ''] = await Promise.all(
        ['cmdline', 'stat'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
      );
      return {
        pid: Number(pid),
        parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]),
        command: command.replaceAll('\0', ' '),
      };
    }),
  );
  const parents = new Map(table.map((one) => [one.pid, one.parent]));
  const isOurs = (pid: number): boolean =>
    pid === platform.pid || (parents.has(pid) && pid > 1 && isOurs(parents.get(pid) ?? 0));
  return table.filter((one) => pattern.test(one.command) && isOurs(one.pid)).map((one) => one.pid);
}

const byName = (pattern: RegExp) => async () => {
  const pids = await find(pattern);
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
};

const victims: readonly (readonly [string, () => Promise<void>])[] = [
  ['a graph host', byName(/graph-host\/src\/main/)],
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
