import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { CheckpointRef } from '@roadstead/contracts/host';
import { texts } from '../../packages/graph-host/src/testing/host-process.ts';
import { contentsOf, human, runOf, startHost } from './host.ts';

/** States of threads: read, changed, listed, branched, and those that are stored as differences. */

const host = useFixture(() => startHost('graphs'));

const refOf = (checkpoint: CheckpointRef | null | undefined): CheckpointRef => ({
  checkpoint_id: checkpoint?.checkpoint_id ?? null,
});

test('when a thread has no checkpoint, then its state is empty and names none', async () => {
  const { result } = await host().peer.ask('state.get', { thread_id: 'nowhere', graph_id: 'echo' });
  expect(result.checkpoint).toBeNull();
  expect(result.next).toEqual([]);
});

test('when the state of a thread is read, then it has the values and its checkpoint', async () => {
  const at = { thread_id: crypto.randomUUID(), graph_id: 'stages' };
  await host().run(runOf('stages', at));
  const { result } = await host().peer.ask('state.get', at);
  expect(contentsOf(result.values)).toEqual(['hello', 'one', 'two']);
  expect(result.checkpoint).toMatchObject({ thread_id: at.thread_id, checkpoint_ns: '' });
  expect(result.created_at).toEqual(expect.any(String));
  expect(result.tasks).toEqual([]);
});

test('when a thread waits for an answer, then its state has the task with the question', async () => {
  const at = { thread_id: crypto.randomUUID(), graph_id: 'approval' };
  await host().run(runOf('approval', at));
  const { result } = await host().peer.ask('state.get', at);
  expect(result.next).toEqual(['ask']);
  expect(result.tasks).toMatchObject([{ name: 'ask', interrupts: [{ value: 'Who?' }], error: null }]);
  expect(result.interrupts).toMatchObject([{ value: 'Who?' }]);
});

test('when a history is listed, then it goes back from the newest state', async () => {
  const at = { thread_id: crypto.randomUUID(), graph_id: 'stages' };
  await host().run(runOf('stages', at));
  const { result } = await host().peer.ask('state.history', { ...at, limit: 10 });
  expect(result.states.map(({ next }) => next)).toEqual([[], ['second'], ['first'], ['__start__']]);
  const older = await host().peer.ask('state.history', {
    ...at,
    limit: 1,
    before: refOf(result.states[1]?.checkpoint),
  });
  expect(older.result.states.map(({ next }) => next)).toEqual([['first']]);
});

test('when an older checkpoint is named, then the state is that of its time', async () => {
  const at = { thread_id: crypto.randomUUID(), graph_id: 'stages' };
  await host().run(runOf('stages', at));
  const { states } = (await host().peer.ask('state.history', { ...at, limit: 10 })).result;
  const checkpoint = refOf(states[1]?.checkpoint);
  const { result } = await host().peer.ask('state.get', { ...at, checkpoint });
  expect(contentsOf(result.values)).toEqual(['hello', 'one']);
});

test('when a run begins at an older checkpoint, then the thread branches there', async () => {
  const at = { thread_id: crypto.randomUUID(), graph_id: 'echo' };
  await host().run(runOf('echo', at));
  const first = (await host().peer.ask('state.get', at)).result;
  await host().run(runOf('echo', { ...at, input: human('second') }));
  const forked = await host().run(
    runOf('echo', { ...at, input: human('other'), checkpoint: refOf(first.checkpoint) }),
  );
  expect(texts(forked.events)).toEqual(['2: other']);
});

test('when a state is updated, then the next run builds on it', async () => {
  const at = { thread_id: crypto.randomUUID(), graph_id: 'echo' };
  await host().run(runOf('echo', at));
  const { result } = await host().peer.ask('state.update', {
    ...at,
    supersteps: [{ updates: [{ values: human('written'), as_node: 'answer' }] }],
  });
  expect(result.checkpoint.checkpoint_id).toEqual(expect.any(String));
  expect(texts((await host().run(runOf('echo', at))).events)).toEqual(['3: hello']);
});

test('when a state is updated in several steps, then each is a checkpoint of its own', async () => {
  const at = { thread_id: crypto.randomUUID(), graph_id: 'echo' };
  const step = (text: string) => ({ updates: [{ values: human(text), as_node: 'answer' }] });
  await host().peer.ask('state.update', { ...at, supersteps: [step('a'), step('b')] });
  expect(host().engine.checkpoints(at.thread_id)).toHaveLength(2);
  expect(contentsOf((await host().peer.ask('state.get', at)).result.values)).toEqual(['a', 'b']);
});

test('when an update can’t be made, then it is refused by the name of such updates', async () => {
  const asked = host().peer.ask('state.update', {
    thread_id: crypto.randomUUID(),
    graph_id: 'echo',
    supersteps: [{ updates: [{ values: human('x'), as_node: 'nobody' }] }],
  });
  await expect(asked).rejects.toMatchObject({ name: 'InvalidUpdateError' });
});

test('when channels are stored as differences, then one question puts them together', async () => {
  const at = { thread_id: crypto.randomUUID(), graph_id: 'delta' };
  const turn = async () => texts((await host().run(runOf('delta', at))).events);
  expect([await turn(), await turn(), await turn()]).toEqual([['1'], ['3'], ['5']]);
  const before = host().engine.heard.length;
  const { result } = await host().peer.ask('state.get', at);
  expect(contentsOf(result.values)).toEqual(['hello', '1', 'hello', '3', 'hello', '5']);
  expect(host().engine.heard.slice(before)).toEqual(['ask checkpoint.get', 'ask checkpoint.deltas']);
});

test('when bytes of a state are sent, then they point to blobs of their frame', async () => {
  const at = { thread_id: crypto.randomUUID(), graph_id: 'echo' };
  const puts: { readonly pointed: readonly number[]; readonly blobs: number }[] = [];
  const tell = host().engine.tell.bind(host().engine);
  host().engine.tell = (message, blobs) => {
    if (message.method === 'checkpoint.put')
      puts.push({ pointed: message.params.channels.map(({ blob }) => blob), blobs: blobs.length });
    tell(message, blobs);
  };
  await host().run(runOf('echo', at));
  host().engine.tell = tell;
  expect(puts.some(({ blobs }) => blobs > 0)).toBe(true);
  expect(puts.filter(({ pointed, blobs }) => new Set(pointed).size !== blobs)).toEqual([]);
});
