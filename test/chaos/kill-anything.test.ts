import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { type AgentLanguage, has_python, languages } from '../support/languages.ts';
import { answerOf, callA2a, userMessage } from '../support/platform.ts';
import { exampleFolder, KilledPlatform } from './victims.ts';

/** kill -9 of anything while messages are under way: every one reaches an end, and nothing that was answered is lost. */

/** Examples, one in each language, and what they say when they are spoken to again. */
const examples: Readonly<Record<AgentLanguage, { readonly name: string; readonly second: string }>> = {
  javascript: { name: 'support-agent', second: 'Your name is Flo.' },
  python: { name: 'python-starter', second: 'Hello! You said "What is my name?". That was turn 2.' },
};
const agents = languages
  .filter((language) => language !== 'python' || has_python)
  .map((language) => examples[language]);
const killed = useFixture(() => KilledPlatform.start());
beforeAll(async () => {
  for (const { name } of agents) {
    const { code, stderr } = await killed().platform.run('deploy', exampleFolder(name), '--name', name);
    if (code !== 0) throw new Error(stderr);
  }
});

const call = (name: string, method: string, params: object) =>
  callA2a(killed().platform, name, method, params);

test.each(['a graph host', 'the data plane', 'Postgres', 'the platform'])(
  'when %s is killed during messages, then each message reaches an end',
  async (who) => {
    const victim = killed().victims.find((one) => one.name === who);
    if (victim === undefined) throw new Error(`Nobody knows ${who}.`);
    const contexts = await Promise.all(
      agents.map(
        async ({ name }) =>
          (await call(name, 'message/send', userMessage('My name is Flo'))).result.contextId,
      ),
    );
    const begun: { readonly name: string; readonly id: string }[] = [];
    const sends = Array.from({ length: 20 }, async (_, at) => {
      const { name } = agents[at % agents.length] ?? { name: '' };
      const params = { ...userMessage(`message ${at}`), configuration: { blocking: false } };
      // A message that was not answered may be sent again: by its id it is the same one.
      for (let attempt = 0; attempt < 240; attempt += 1) {
        const answer = await call(name, 'message/send', params).catch(() => undefined);
        if (answer?.result?.id !== undefined) return begun.push({ name, id: answer.result.id });
        await new Promise((done) => setTimeout(done, 250));
      }
      throw new Error(`message ${at} was never taken`);
    });
    const isTaken = () => agents.every(({ name }) => begun.filter((one) => one.name === name).length > 1);
    await expect.poll(isTaken, { interval: 1 }).toBe(true);
    await Promise.all([victim.kill(), ...sends]);
    for (const { name, id } of begun) {
      const state = async () =>
        (await call(name, 'tasks/get', { id }).catch(() => undefined))?.result?.status.state;
      await expect.poll(state, { timeout: 120_000, interval: 200 }).toBe('completed');
    }
    for (const [at, { name, second }] of agents.entries()) {
      const more = { contextId: contexts[at] };
      const after = await call(name, 'message/send', userMessage('What is my name?', more));
      expect(answerOf(after.result)).toBe(second);
    }
  },
  300_000,
);
