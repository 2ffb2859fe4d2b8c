import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { answerOf, callA2a, userMessage } from '../support/platform.ts';
import { KilledPlatform } from './victims.ts';

/** kill -9 of anything while messages are under way: every one reaches an end, and nothing that was answered is lost. */

const killed = useFixture(() => KilledPlatform.start());

test.each(['a graph host', 'the data plane', 'Postgres', 'the platform'])(
  'when %s is killed during messages, then each message reaches an end',
  async (name) => {
    const victim = killed().victims.find((one) => one.name === name);
    if (victim === undefined) throw new Error(`Nobody knows ${name}.`);
    const context = (
      await callA2a(killed().platform, 'support-agent', 'message/send', userMessage('My name is Flo'))
    ).result.contextId;
    const begun: string[] = [];
    const sends = Array.from({ length: 20 }, async (_, at) => {
      const params = { ...userMessage(`message ${at}`), configuration: { blocking: false } };
      // A message that was not answered may be sent again: by its id it is the same one.
      for (let attempt = 0; attempt < 240; attempt += 1) {
        const answer = await callA2a(killed().platform, 'support-agent', 'message/send', params).catch(
          () => undefined,
        );
        if (answer?.result?.id !== undefined) return begun.push(answer.result.id);
        await new Promise((done) => setTimeout(done, 250));
      }
      throw new Error(`message ${at} was never taken`);
    });
    await expect.poll(() => begun.length, { interval: 1 }).toBeGreaterThan(2);
    await Promise.all([victim.kill(), ...sends]);
    for (const id of begun) {
      const state = async () =>
        (await callA2a(killed().platform, 'support-agent', 'tasks/get', { id }).catch(() => undefined))
          ?.result?.status.state;
      await expect.poll(state, { timeout: 120_000, interval: 200 }).toBe('completed');
    }
    const after = await callA2a(
      killed().platform,
      'support-agent',
      'message/send',
      userMessage('What is my name?', { contextId: context }),
    );
    expect(answerOf(after.result)).toBe('Your name is Flo.');
  },
  300_000,
);
