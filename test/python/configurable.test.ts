import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { openAgent } from '../../packages/agent-server/src/testing/open-agent.ts';
import { pythonRevision } from '../support/python-revision.ts';

/** What a run of a graph in Python configures; contexts.test.ts of the LangGraph API has it for JavaScript. */

const folder = fileURLToPath(new URL('./agents/web', import.meta.url));
const agent = useFixture(async () => {
  const opened = await openAgent();
  const spec = pythonRevision(folder);
  const { signal } = new AbortController();
  await opened.server.prepare(spec, signal);
  await opened.server.activate(spec.revision_id, signal);
  return opened;
});

async function post<T>(path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const answer = await agent().ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as T;
}

test('when a run configures something, then neither its thread nor a later run has it', async () => {
  const { thread_id } = await post<{ thread_id: string }>('/threads', {});
  const said = async (run: object) => {
    const input = { messages: [{ role: 'user', content: 'How?' }] };
    const wanted = { assistant_id: 'echo', input, ...run };
    const { messages } = await post<{ messages: { content: string }[] }>(
      `/threads/${thread_id}/runs/wait`,
      wanted,
    );
    return messages.at(-1)?.content;
  };
  expect(await said({ config: { configurable: { tone: 'loud' } } })).toBe('loud');
  expect(await said({})).toBe('plain');
  const thread = (await (await agent().ask(`/threads/${thread_id}`)).json()) as object;
  expect(JSON.stringify(thread)).not.toContain('tone');
});
