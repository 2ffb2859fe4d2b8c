import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { openAgent } from '../../packages/agent-server/src/testing/open-agent.ts';
import { pythonRevision } from '../support/python-revision.ts';

/** An agent in Python with an app of FastAPI, on a real agent server. */

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

// For JavaScript: contexts.test.ts of the LangGraph API.
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

const textAt = async (path: string) => (await agent().ask(path)).text();

test('when FastAPI describes the app, then the deployment’s document and page have it, too', async () => {
  const document = JSON.parse(await textAt('/openapi.json')) as {
    readonly servers: readonly object[];
    readonly paths: Readonly<Record<string, object>>;
    readonly components: { readonly schemas: Readonly<Record<string, object>> };
  };
  expect(document.servers).toEqual([{ url: 'http://roadstead.test/agents/agent' }]);
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/threads', '/rated/{thread_id}']));
  expect(JSON.stringify(document.paths['/rated/{thread_id}'])).toContain('#/components/schemas/App_Thread');
  expect(document.components.schemas['App_Thread']).toHaveProperty('properties.stars');
  const references = JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]*)"/g);
  for (const [, name = ''] of references) expect(document.components.schemas).toHaveProperty([name]);
  expect(await textAt('/docs')).toContain('/rated/{thread_id}');
});

test('when an app has middleware, then the log says for which addresses it runs', () => {
  expect(agent().lines).toContainEqual(
    expect.objectContaining({
      level: 'WARNING',
      message:
        'http.app has middleware: it runs for the addresses of the app alone, not for those of the API.',
    }),
  );
});
