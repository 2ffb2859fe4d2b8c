import { randomUUID } from 'node:crypto';
import type { ThreadState } from '@langchain/langgraph-sdk';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { openAgentHttp } from '../../testing/agent-http.ts';

/** The official client, a real agent server and real graphs: what threads hold. */

const http = useFixture(openAgentHttp);
const client = useFixture(() => http().client());

interface MessagesState {
  readonly messages: readonly { readonly content: string; readonly id?: string }[];
}

/** A conversation by A2A, whose runs bring no values; answers the thread. */
async function converse(graph_id: string, texts: readonly string[]): Promise<string> {
  const contextId = randomUUID();
  for (const text of texts) {
    const message = {
      role: 'user',
      messageId: randomUUID(),
      contextId,
      parts: [{ kind: 'text', text }],
    };
    const rpc = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
    const answer = await http().agent.call(graph_id, JSON.stringify(rpc));
    expect(await answer.json()).not.toHaveProperty('error');
  }
  const [thread] = await client().threads.search({ limit: 1 });
  return thread?.thread_id ?? '';
}

const contents = (values: unknown) => (values as MessagesState).messages.map(({ content }) => content);

test('when a thread is of an A2A conversation, then it shows its values, alone or in a list', async () => {
  const thread_id = await converse('agent', ['one', 'two']);
  const said = ['one', '1: one', 'two', '2: two'];
  const [found] = await client().threads.search({
    ids: [thread_id],
    select: ['values', 'status'],
    extract: { last: 'values.messages[-1].content' },
  });
  expect(found).toEqual({
    values: expect.anything() as unknown,
    status: 'idle',
    extracted: { last: '2: two' },
  });
  expect(contents(found?.values)).toEqual(said);
  const thread = await client().threads.get(thread_id);
  expect(contents(thread.values)).toEqual(said);
  expect(Date.parse(thread.state_updated_at)).toBeGreaterThan(Date.parse(thread.created_at));
  const { values: messages } = { values: { messages: [{ content: 'two' }] } };
  expect(await client().threads.count({ values: messages })).toBe(1);
});

test('when the state of a thread is read, then it is that of now, a checkpoint or each step', async () => {
  const thread_id = await converse('agent', ['one']);
  const state = await client().threads.getState<MessagesState>(thread_id);
  expect(contents(state.values)).toEqual(['one', '1: one']);
  expect(state).toMatchObject({
    next: [],
    checkpoint: { thread_id, checkpoint_ns: '' },
    metadata: { source: 'loop' },
  });
  const history = await client().threads.getHistory<MessagesState>(thread_id);
  expect(history.map(({ next }) => next)).toEqual([[], ['answer'], ['__start__']]);
  expect(history[0]).toEqual({ ...state, tasks: history[0]?.tasks });
  const [, middle] = history;
  const at = middle?.checkpoint.checkpoint_id ?? '';
  expect(contents((await client().threads.getState<MessagesState>(thread_id, at)).values)).toEqual(['one']);
  const full = { thread_id, checkpoint_id: at, checkpoint_ns: '', checkpoint_map: null };
  expect(contents((await client().threads.getState<MessagesState>(thread_id, full)).values)).toEqual(['one']);
  for (const before of [{ configurable: full }, { configurable: {}, ...full }])
    expect(await client().threads.getHistory(thread_id, { before })).toHaveLength(1);
  expect(await client().threads.getHistory(thread_id, { limit: 2 })).toHaveLength(2);
  expect(await client().threads.getHistory(thread_id, { metadata: { source: 'input' } })).toHaveLength(1);
  const list = await fetch(`${http().url}/threads/${thread_id}/history?limit=1`, {
    headers: { 'x-api-key': 'key' },
  });
  expect(await list.json()).toHaveLength(1);
});

/** What older clients read beside the checkpoints of a state. */
const idsBeside = (state: unknown) => {
  const { checkpoint, parent_checkpoint } = state as ThreadState;
  return {
    checkpoint_id: checkpoint?.checkpoint_id ?? null,
    parent_checkpoint_id: parent_checkpoint?.checkpoint_id ?? null,
  };
};

test('when states are read, then the ids of their checkpoints are beside these, in subgraphs too', async () => {
  const thread_id = await converse('nested', ['hello']);
  const { threads } = client();
  const state = await threads.getState(thread_id, undefined, { subgraphs: true });
  const id = state.checkpoint.checkpoint_id ?? '';
  expect(state).toMatchObject({ checkpoint_id: id, parent_checkpoint_id: expect.any(String) as string });
  const inner = state.tasks[0]?.state;
  expect(inner?.checkpoint.checkpoint_id).toEqual(expect.any(String));
  const history = await threads.getHistory(thread_id);
  const all = [state, inner, ...history, await threads.getState(thread_id, state.checkpoint)];
  for (const one of [...all, await threads.getState(thread_id, id)])
    expect(one).toMatchObject(idsBeside(one));
  expect(history.at(-1)).toMatchObject({ parent_checkpoint_id: null });
  const empty = await threads.create();
  expect(await threads.getState(empty.thread_id)).toMatchObject({
    checkpoint_id: null,
    parent_checkpoint_id: null,
  });
});

test('when values are written into a state, then it is as if a node had returned them', async () => {
  const thread_id = await converse('agent', ['one']);
  const seen = await client().threads.get(thread_id);
  const written = await client().threads.updateState(thread_id, {
    values: { messages: [{ role: 'assistant', content: 'Sisyphus' }] },
    asNode: 'answer',
  });
  const { checkpoint } = written as unknown as {
    checkpoint: { checkpoint_id: string; thread_id: string };
  };
  expect(checkpoint.thread_id).toBe(thread_id);
  const { checkpoint_id } = checkpoint;
  expect(written).toEqual({ checkpoint, configurable: checkpoint, checkpoint_id });
  const state = await client().threads.getState<MessagesState>(thread_id);
  expect(state.checkpoint.checkpoint_id).toBe(checkpoint.checkpoint_id);
  expect(contents(state.values)).toEqual(['one', '1: one', 'Sisyphus']);
  const thread = await client().threads.get(thread_id);
  expect(contents(thread.values)).toEqual(contents(state.values));
  expect(thread.updated_at > seen.updated_at).toBe(true);
  await expect(
    client().threads.updateState(thread_id, { values: { messages: [] }, asNode: 'nobody' }),
  ).rejects.toThrow('HTTP 400');
  await client().threads.patchState(thread_id, { reviewed: true });
  expect((await client().threads.getState(thread_id)).metadata).toMatchObject({
    reviewed: true,
    source: 'update',
  });
});

test('when a client patches the parents of a checkpoint, then they stay, and the state is read', async () => {
  const thread_id = await converse('agent', ['one']);
  const before = await client().threads.getState(thread_id);
  await client().threads.patchState(thread_id, { parents: { x: 1 } as never, reviewed: true });
  const state = await client().threads.getState(thread_id);
  expect(state.checkpoint).toEqual(before.checkpoint);
  expect(state.metadata).toEqual({ ...before.metadata, reviewed: true });
});

test('when a thread is copied, then the copy goes its own way', async () => {
  const thread_id = await converse('agent', ['one']);
  const before = await client().threads.getState<MessagesState>(thread_id);
  const copy = await client().threads.copy(thread_id);
  const copied = await client().threads.getState<MessagesState>(copy.thread_id);
  expect(copied.values).toEqual(before.values);
  expect(copied.checkpoint).toEqual({ ...before.checkpoint, thread_id: copy.thread_id });
  expect(await client().threads.getHistory(copy.thread_id)).toHaveLength(3);
  await client().threads.updateState(copy.thread_id, {
    values: { messages: [{ ...before.values.messages[0], content: 'changed' }] },
    asNode: 'answer',
  });
  expect(contents((await client().threads.getState<MessagesState>(copy.thread_id)).values)[0]).toBe(
    'changed',
  );
  expect(await client().threads.getState<MessagesState>(thread_id)).toEqual(before);
});

test('when a thread is created with supersteps, then it begins with them', async () => {
  const thread_id = await converse('agent', ['one']);
  const steps = (await client().threads.getHistory<MessagesState>(thread_id)).toReversed();
  const input = { messages: [{ role: 'user', content: 'one' }] };
  const clone = await client().threads.create({
    graphId: 'agent',
    supersteps: [
      { updates: [{ values: input, asNode: '__input__' }] },
      { updates: [{ values: input, asNode: '__start__' }] },
      { updates: [{ values: { messages: [{ role: 'assistant', content: '1: one' }] }, asNode: 'answer' }] },
    ],
  });
  expect(clone.metadata).toEqual({ graph_id: 'agent' });
  expect(contents(clone.values)).toEqual(['one', '1: one']);
  const cloned = (await client().threads.getHistory<MessagesState>(clone.thread_id)).toReversed();
  expect(cloned.map(({ next }) => next)).toEqual(steps.map(({ next }) => next));
  const wrong = client().threads.create({
    graphId: 'agent',
    threadId: '33333333-3333-4333-8333-333333333333',
    supersteps: [{ updates: [{ values: input, asNode: 'nobody' }] }],
  });
  await expect(wrong).rejects.toThrow('HTTP 400');
  await expect(client().threads.get('33333333-3333-4333-8333-333333333333')).rejects.toThrow('HTTP 404');
});

test('when a thread is pruned, then its newest state is left, and it goes on from there', async () => {
  const thread_id = await converse('agent', ['one', 'two']);
  const state = await client().threads.getState(thread_id);
  const storage = async () =>
    (
      await fetch(`${http().url}/threads/${thread_id}/storage`, { headers: { 'x-api-key': 'key' } })
    ).json() as Promise<{
      total_bytes: number;
      checkpoints: { count: number; bytes: number };
      channel_values: { by_channel: Record<string, { versions: number }>; bytes: number };
      pending_writes: { count: number; bytes: number };
    }>;
  const before = await storage();
  expect(before.checkpoints.count).toBe(6);
  expect(before.total_bytes).toBe(
    before.checkpoints.bytes + before.channel_values.bytes + before.pending_writes.bytes,
  );
  expect(before.channel_values.by_channel['messages']?.versions).toBe(4);
  expect(await client().threads.prune([thread_id], { strategy: 'keep_latest' })).toEqual({ pruned_count: 1 });
  const after = await storage();
  expect([after.checkpoints.count, after.channel_values.by_channel['messages']?.versions]).toEqual([1, 1]);
  expect((await client().threads.getState(thread_id)).values).toEqual(state.values);
  await client().threads.updateState(thread_id, {
    values: { messages: [{ role: 'assistant', content: 'three' }] },
    asNode: 'answer',
  });
  expect(contents((await client().threads.get(thread_id)).values)).toHaveLength(5);
});

test('when a task of a thread asks, then the question stands on the thread, after a prune, too', async () => {
  const thread_id = await converse('approval', ['hello']);
  const thread = await client().threads.get(thread_id);
  expect(thread.status).toBe('interrupted');
  const state = await client().threads.getState(thread_id);
  const [task] = state.tasks;
  expect(task?.interrupts).toMatchObject([{ value: 'What is your name?' }]);
  expect(thread.interrupts).toEqual({ [task?.id ?? '']: task?.interrupts });
  await client().threads.prune([thread_id], { strategy: 'keep_latest' });
  expect((await client().threads.getState(thread_id)).tasks).toEqual(state.tasks);
  expect((await client().threads.search({ status: 'interrupted' })).map((one) => one.thread_id)).toContain(
    thread_id,
  );
  const copy = await client().threads.copy(thread_id);
  expect([copy.status, copy.interrupts]).toEqual(['interrupted', thread.interrupts]);
  // As if the node had run: nobody waits any more.
  await client().threads.updateState(thread_id, { values: { name: 'Ann' }, asNode: 'ask' });
  expect(await client().threads.get(thread_id)).toMatchObject({ status: 'idle', interrupts: {} });
});

test('when a thread is deleted, then nothing of it is left', async () => {
  const thread_id = await converse('agent', ['one']);
  await client().threads.delete(thread_id);
  expect(await http().agent.left(thread_id)).toEqual([]);
});

test('when a thread is busy, then nobody writes or prunes it, and deleting it cancels its run', async () => {
  const message = { role: 'user', messageId: randomUUID(), parts: [{ kind: 'text', text: '60000' }] };
  const params = { message, configuration: { blocking: false } };
  const rpc = { jsonrpc: '2.0', id: 1, method: 'message/send', params };
  expect((await http().agent.call('slow', JSON.stringify(rpc))).status).toBe(200);
  const busy = await client().threads.search({ status: 'busy' });
  expect(busy.map(({ status }) => status)).toEqual(['busy']);
  const id = busy[0]?.thread_id ?? '';
  await expect(client().threads.updateState(id, { values: { messages: [] } })).rejects.toThrow('HTTP 409');
  expect(await client().threads.prune([id], { strategy: 'keep_latest' })).toEqual({ pruned_count: 0 });
  expect(await client().threads.get(id)).toMatchObject({ status: 'busy', error: null });
  await client().threads.delete(id);
  await expect(client().threads.get(id)).rejects.toThrow('HTTP 404');
  expect(await http().agent.left(id)).toEqual([]);
  expect(await client().threads.count({ status: 'busy' })).toBe(0);
});
