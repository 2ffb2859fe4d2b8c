import { expect, test } from 'vitest';
import { fixtureRevision, openAgent, type OpenAgent } from './testing/open-agent.ts';

const calm = () => new AbortController().signal;
const json = (body: unknown, method = 'POST') => ({
  method,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

async function serve(agent: OpenAgent, revision_id: string, storage_bytes?: number): Promise<void> {
  await agent.server.prepare({ ...fixtureRevision(revision_id), resources: { storage_bytes } }, calm());
  await agent.server.activate(revision_id, calm());
}

const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const run = { assistant_id: 'agent', input: { messages: [{ role: 'user', content: 'Hello' }] } };
const message = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'message/send',
  params: { message: { role: 'user', messageId: 'm', parts: [{ kind: 'text', text: 'Hello' }] } },
});

test('when a database is full, then no face begins a run, and everything else goes on', async () => {
  await using agent = await openAgent();
  await serve(agent, first);
  const { thread_id } = (await (await agent.ask('/threads', json({}))).json()) as { thread_id: string };
  await serve(agent, second, 1);
  await expect.poll(() => agent.troubles.at(-1)?.code).toBe('database_full');
  for (const path of ['/runs', '/runs/wait', '/runs/stream', `/threads/${thread_id}/runs`]) {
    const refused = await agent.ask(path, json(run));
    expect([path, refused.status, refused.headers.get('retry-after')]).toEqual([path, 429, '60']);
    expect(await refused.text()).toContain('takes all of the 1 bytes that it may, so no new run begins');
  }
  const said = (await (await agent.call('agent', message)).json()) as { error: { message: string } };
  expect(said.error.message).toContain('no new run begins');
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'agent', arguments: run.input },
  };
  const asked = json(call);
  const headers = { ...asked.headers, accept: 'application/json, text/event-stream' };
  expect(await (await agent.ask('/mcp', { ...asked, headers })).text()).toContain('no new run begins');
  expect(await agent.rows('select from agent.runs', [])).toEqual([]);
  expect((await agent.ask('/threads/search', json({}))).status).toBe(200);
  expect((await agent.ask('/store/items', json({ namespace: ['a'], key: 'k', value: {} }, 'PUT'))).ok).toBe(
    true,
  );
  expect((await agent.ask(`/threads/${thread_id}`, { method: 'DELETE' })).status).toBe(204);
  expect(agent.lines.filter(({ level }) => level === 'ERROR')).toHaveLength(1);
  await serve(agent, first);
  expect(agent.troubles.at(-1)).toBeUndefined();
  expect((await agent.ask('/runs', json(run))).status).toBe(200);
});
