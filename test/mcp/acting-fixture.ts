import { deployed } from '../../packages/control-plane/src/testing/fixture.ts';
import { startBothServices } from './both-services.ts';
import { FakeAgent } from './fake-agent.ts';
import type { Arguments } from './mcp-fixture.ts';

/** Both services with a deployment `support`, whose agent is a fake, and the tools that act on them. */

type Content = Record<string, unknown> & { error?: { code: string; message: string } };

export type ActingFixture = Awaited<ReturnType<typeof startActing>>;

export async function startActing() {
  const agent = new FakeAgent();
  const both = await startBothServices({ agent: agent.answer });
  await deployed(both.control, 'support', both.control.listener());
  return {
    agent,
    both,
    /** What a call with the user’s consent answers. */
    content: async (name: string, given: Arguments = {}, options: { signal?: AbortSignal } = {}) => {
      const { isError, structuredContent } = await both.call(name, { confirm: true, ...given }, options);
      return { isError, ...structuredContent } as Content;
    },
    [Symbol.asyncDispose]: () => both[Symbol.asyncDispose](),
  };
}

export const examples = [
  { inputs: { question: 'one' }, outputs: { text: 'ONE' }, metadata: { topic: 'a' }, split: 'test' },
  { inputs: { question: 'two' }, outputs: { text: 'not this' } },
];
