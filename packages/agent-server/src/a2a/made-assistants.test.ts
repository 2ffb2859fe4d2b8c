import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { listeningAgent } from '../testing/listening-agent.ts';

/** Where A2A and the LangGraph API meet: assistants that clients made, and threads that are contexts. */

const listening = useFixture(listeningAgent);
const client = useFixture(() => listening().client());

interface Answer {
  readonly result?: {
    readonly id: string;
    readonly contextId: string;
    readonly status: { readonly state: string };
    readonly artifacts?: readonly { readonly parts: readonly object[] }[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

async function send(assistant: string, text: string, contextId?: string): Promise<Answer> {
  const messageId = crypto.randomUUID();
  const message = { role: 'user', kind: 'message', messageId, contextId, parts: [{ kind: 'text', text }] };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${listening().url}/a2a/${assistant}`, { method: 'POST', headers, body });
  return (await response.json()) as Answer;
}

test('when a client makes an assistant, then it answers A2A as configured, and its card shows it', async () => {
  const { assistant_id } = await client().assistants.create({
    graphId: 'factory',
    name: 'Green one',
    description: 'Is green.',
    context: { colour: 'green' },
    metadata: { team: 'sea' },
  });
  const { result } = await send(assistant_id, 'hi');
  expect(JSON.stringify(result?.artifacts)).toContain('green');
  expect(JSON.stringify(result?.artifacts)).toContain('http://roadstead.test/agents/agent');
  const [thread] = await client().threads.search({ metadata: { assistant_id, graph_id: 'factory' } });
  expect(thread?.thread_id).toBe(result?.contextId);
  const [run] = await client().runs.list(thread?.thread_id ?? '');
  expect(run).toMatchObject({ assistant_id, metadata: { team: 'sea' } });
  const card = await fetch(`${listening().url}/.well-known/agent-card.json?assistant_id=${assistant_id}`);
  expect(await card.json()).toMatchObject({ name: 'Green one', description: 'Is green.' });

  await client().assistants.delete(assistant_id);
  expect((await send(assistant_id, 'hi')).error).toMatchObject({ code: -32602 });
});

test('when a thread has the name of a context, then each goes on with the other', async () => {
  const { thread_id } = await client().threads.create();
  const says = { input: { messages: [{ role: 'user', content: 'first' }] } };
  await client().runs.wait(thread_id, 'agent', says);
  const { result } = await send('agent', 'second', thread_id);
  expect(result).toMatchObject({ contextId: thread_id, status: { state: 'completed' } });
  await client().runs.wait(thread_id, 'agent', says);
  const { values } = await client().threads.getState<{ messages: { content: string }[] }>(thread_id);
  expect(values.messages.map(({ content }) => content).filter((_, at) => at % 2 === 0)).toEqual([
    'first',
    'second',
    'first',
  ]);
  expect(await client().runs.list(thread_id)).toHaveLength(3);
});

test('when a context names no thread, then it becomes one; that of another graph’s stays apart', async () => {
  const name = crypto.randomUUID();
  await send('agent', 'hi', name);
  expect(await client().threads.get(name)).toMatchObject({ metadata: { graph_id: 'agent' } });
  const { result } = await send('notes', 'hi', name);
  expect(result?.contextId).toBe(name);
  expect(await client().runs.list(name)).toHaveLength(1);
});

test('when a run of no task has asked, then a message begins a task', async () => {
  const { thread_id } = await client().threads.create();
  await client().runs.wait(thread_id, 'approval', { input: { messages: [{ role: 'user', content: 'go' }] } });
  expect((await client().threads.get(thread_id)).status).toBe('interrupted');
  const { result, error } = await send('approval', 'again', thread_id);
  expect(error).toBeUndefined();
  expect(result?.contextId).toBe(thread_id);
});

test('when an assistant is deleted, then its crons go with it', async () => {
  const { assistant_id } = await client().assistants.create({ graphId: 'agent' });
  const { cron_id } = await client().crons.create(assistant_id, { schedule: '0 0 1 1 *', input: {} });
  await client().assistants.delete(assistant_id);
  expect((await client().crons.search()).map((cron) => cron.cron_id)).not.toContain(cron_id);
});
