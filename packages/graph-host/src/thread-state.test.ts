import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { EngineCalls, ThreadState } from '@roadstead/contracts/host';
import { HostUnderTest } from './testing/host-process.ts';

const agents = fileURLToPath(new URL('../fixtures/agents', import.meta.url));
const human = (text: string) => ({ messages: [{ role: 'user', content: text }] });

const host = useFixture(() => new HostUnderTest(agents));

const stateOf = async (params: EngineCalls['state.get']['params']) =>
  (await host().peer.ask('state.get', params)).result;
const said = ({ values }: ThreadState) =>
  (values as { messages: { type: string; content: string }[] }).messages.map(
    ({ type, content }) => `${type}: ${content}`,
  );

test('when a thread has no checkpoint, then its state is empty', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'agent' };
  const empty = { values: {}, next: [], tasks: [], checkpoint: null, created_at: null, interrupts: [] };
  expect(await stateOf(at)).toMatchObject(empty);
  expect((await host().peer.ask('state.history', { ...at, limit: 10 })).result).toEqual({ states: [] });
});

test('when a state is read, then it shows messages as objects, and its checkpoint', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'agent' };
  await host().run({ ...at, input: human('one') });
  const state = await stateOf(at);
  expect(said(state)).toEqual(['human: one', 'ai: 1: one']);
  const [newest, before] = host().engine.checkpoints(at.thread_id);
  const place = { thread_id: at.thread_id, checkpoint_ns: '', checkpoint_map: null };
  expect(state).toMatchObject({
    next: [],
    tasks: [],
    checkpoint: { ...place, checkpoint_id: newest?.checkpoint_id },
    parent_checkpoint: { ...place, checkpoint_id: before?.checkpoint_id },
    metadata: { source: 'loop', step: 1, thread_id: at.thread_id },
  });
  expect(new Date(String(state.created_at)).toISOString()).toBe(state.created_at);
});

test('when a subgraph asks, then the graph shows it, and the subgraph’s state where asked for', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'nested' };
  const { outcome } = await host().run({ ...at, input: human('x') });
  const state = await stateOf(at);
  const [task] = state.tasks;
  expect(state).toMatchObject({ next: ['inner'], interrupts: [{ value: 'Who?' }] });
  expect(task).toMatchObject({ name: 'inner', error: null, interrupts: [{ value: 'Who?' }], state: null });
  const checkpoint_ns = `inner:${task?.id}`;
  expect(task?.checkpoint).toMatchObject({ thread_id: at.thread_id, checkpoint_ns, checkpoint_id: null });
  expect(outcome).toMatchObject({
    next: ['inner'],
    interrupts: [{ id: state.interrupts[0]?.id, value: 'Who?', task_id: task?.id }],
  });
  const whole = await stateOf({ ...at, subgraphs: true });
  expect(whole.tasks[0]).toMatchObject({ checkpoint: null, state: { next: ['ask'] } });
  const inside = await stateOf({ ...at, checkpoint: { checkpoint_ns } });
  expect(inside).toMatchObject({ next: ['ask'], checkpoint: { checkpoint_ns } });
});

test('when three questions are asked, then those that are open are listed, until none is', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'three' };
  const asked = await host().run({ ...at, input: {} });
  const questions = asked.outcome.outcome === 'success' ? asked.outcome.interrupts : [];
  const seen = async () => {
    const [newest] = (await host().peer.ask('state.history', { ...at, limit: 1 })).result.states;
    const states = [await stateOf(at), await stateOf({ ...at, subgraphs: true }), newest];
    const open = states.map((state) => state?.interrupts.map(({ value }) => String(value)).toSorted());
    expect(open[1]).toEqual(open[0]);
    expect(open[2]).toEqual(open[0]);
    return { open: open[0], next: states[0]?.next.toSorted(), tasks: states[0]?.tasks ?? [] };
  };
  expect(await seen()).toMatchObject({
    open: ['First?', 'Inside?', 'Second?'],
    next: ['first', 'second', 'third'],
  });
  const answer = async (question: string) => {
    const { id = '' } = questions.find(({ value }) => value === question) ?? {};
    return host().run({ ...at, command: { resume: { [id]: `to ${question}` } } });
  };
  const { outcome } = await answer('First?');
  const left = await seen();
  expect(left).toMatchObject({ open: ['Inside?', 'Second?'], next: ['second', 'third'] });
  const values = outcome.outcome === 'success' ? outcome.interrupts.map(({ value }) => String(value)) : [];
  expect(values.toSorted()).toEqual(left.open);
  const [first] = left.tasks.filter(({ name }) => name === 'first');
  expect(first).toMatchObject({ interrupts: [], result: { answers: { first: 'to First?' } } });
  await answer('Inside?');
  expect(await seen()).toMatchObject({ open: ['Second?'], next: ['second'] });
  await answer('Second?');
  expect(await seen()).toMatchObject({ open: [], next: [] });
  const { states } = (await host().peer.ask('state.history', { ...at, limit: 10 })).result;
  expect(states.map((state) => state.interrupts.length)).toEqual([0, 0, 3, 0]);
});

test('when a state is updated, then it is as if a node had done so, and a run goes on from there', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'nested' };
  await host().run({ ...at, input: human('x') });
  const update = { values: { messages: [{ role: 'user', content: 'again' }] }, as_node: 'first' };
  const { checkpoint } = (
    await host().peer.ask('state.update', { ...at, supersteps: [{ updates: [update] }] })
  ).result;
  const state = await stateOf(at);
  expect(state.checkpoint).toMatchObject(checkpoint);
  expect(state).toMatchObject({ next: ['inner'], interrupts: [], metadata: { source: 'update' } });
  const { outcome } = await host().run({ ...at, input: null });
  expect(outcome).toMatchObject({ interrupts: [{ value: 'Who?' }] });
  await host().run({ ...at, command: { resume: 'Ada' } });
  expect(said(await stateOf(at))).toEqual(['human: x', 'ai: Wait.', 'human: again', 'ai: Hello "Ada"']);
});

test('when supersteps are written, then they follow one after the other', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'nested' };
  const supersteps = [
    { updates: [{ values: human('first'), as_node: '__start__' }] },
    { updates: [{ values: { messages: [{ role: 'assistant', content: 'second' }] }, as_node: 'first' }] },
  ];
  await host().peer.ask('state.update', { ...at, supersteps });
  const state = await stateOf(at);
  expect(said(state)).toEqual(['human: first', 'ai: second']);
  expect(state.next).toEqual(['inner']);
  const { states } = (await host().peer.ask('state.history', { ...at, limit: 10 })).result;
  expect(states.map(({ metadata }) => metadata['source'])).toEqual(['update', 'update']);
});

test('when a command names a node, then it goes there', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'nested' };
  await host().run({ ...at, input: human('x') });
  await host().run({ ...at, command: { update: human('y'), goto: 'first' } });
  expect(said(await stateOf(at)).slice(-2)).toEqual(['human: y', 'ai: Wait.']);
});

test.each([
  ['an unknown node', { values: human('x'), as_node: 'nowhere' }, {}, 'nowhere'],
  [
    'an unknown checkpoint',
    { values: human('x'), as_node: 'first' },
    { checkpoint_id: randomUUID() },
    'no checkpoint',
  ],
  [
    'a value that is no message',
    { values: { messages: [{ role: 'nobody' }] }, as_node: 'first' },
    {},
    'coerce',
  ],
] as const)('when an update is of %s, then it is refused', async (_name, update, checkpoint, reason) => {
  const at = { thread_id: randomUUID(), graph_id: 'nested', checkpoint };
  await host().run({ ...at, checkpoint: {}, input: human('x') });
  const written = host().engine.checkpoints(at.thread_id).length;
  const refused = host().peer.ask('state.update', { ...at, supersteps: [{ updates: [update] }] });
  await expect(refused).rejects.toMatchObject({
    name: 'InvalidUpdateError',
    message: expect.stringContaining(reason) as unknown,
  });
  expect(host().engine.checkpoints(at.thread_id)).toHaveLength(written);
});

test('when a history is read, then it is newest first, by page, checkpoint and metadata', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'agent' };
  for (const text of ['one', 'two']) await host().run({ ...at, input: human(text) });
  const list = async (params: Partial<EngineCalls['state.history']['params']>) =>
    (await host().peer.ask('state.history', { ...at, limit: 100, ...params })).result.states;
  const all = await list({});
  const ids = host()
    .engine.checkpoints(at.thread_id)
    .map((one) => one.checkpoint_id);
  const idsOf = (states: readonly ThreadState[]) => states.map(({ checkpoint }) => checkpoint?.checkpoint_id);
  expect(idsOf(all)).toEqual(ids);
  expect(idsOf(await list({ limit: 2 }))).toEqual(ids.slice(0, 2));
  expect(idsOf(await list({ limit: 2, before: { checkpoint_id: ids[1] ?? '' } }))).toEqual(ids.slice(2, 4));
  expect(idsOf(await list({ checkpoint: { checkpoint_id: ids[2] ?? '' } }))).toEqual([ids[2]]);
  const inputs = await list({ filter: { source: 'input' } });
  expect(inputs.map(({ metadata }) => metadata['source'])).toEqual(['input', 'input']);
});

test('when a history is longer than a page, then it comes whole', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'agent' };
  const supersteps = Array.from({ length: 120 }, (_, n) => ({
    updates: [{ values: human(String(n)), as_node: 'answer' }],
  }));
  await host().peer.ask('state.update', { ...at, supersteps });
  const list = async (limit: number) =>
    (await host().peer.ask('state.history', { ...at, limit })).result.states.length;
  expect(await list(1000)).toBe(120);
  expect(await list(110)).toBe(110);
});

test('when a run begins at a former checkpoint, then it forks; one that is not there is an error', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'agent' };
  for (const text of ['one', 'two']) await host().run({ ...at, input: human(text) });
  const { states } = (await host().peer.ask('state.history', { ...at, limit: 100 })).result;
  const first = states.find((state) => state.next.length === 0 && said(state).length === 2);
  const checkpoint = { checkpoint_id: first?.checkpoint?.checkpoint_id ?? '' };
  await host().run({ ...at, input: human('other'), checkpoint });
  expect(said(await stateOf(at))).toEqual(['human: one', 'ai: 1: one', 'human: other', 'ai: 2: other']);
  const lost = await host().run({ ...at, input: human('x'), checkpoint: { checkpoint_id: randomUUID() } });
  expect(lost.outcome).toMatchObject({ outcome: 'error', error: { message: /no checkpoint/ } });
});

test('when a factory makes a graph, then it is told what for, who asks, and in which context', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'factory' };
  const user = { identity: 'ada', permissions: [] };
  await host().run({
    ...at,
    input: human('x'),
    user,
    context: { tone: 'dry' },
    configurable: { colour: 'red' },
  });
  const [, answer] = said(await stateOf({ ...at, user }));
  expect(JSON.parse(answer?.replace('ai: ', '') ?? '')).toEqual({
    accessContext: 'threads.create_run',
    executionRuntime: { context: { tone: 'dry' } },
    context: { tone: 'dry' },
    served: [expect.stringMatching(/^1\./), null],
    user: 'ada',
    colour: 'red',
  });
  const plain = { thread_id: randomUUID(), graph_id: 'factory' };
  await host().run({ ...plain, input: human('x') });
  // Graphs read its fields without asking whether there is one.
  expect(JSON.parse(said(await stateOf(plain))[1]?.replace('ai: ', '') ?? '')).toMatchObject({ context: {} });
  // A node of this name is there only where the graph is made for it.
  const update = { values: human('y'), as_node: 'for threads.update' };
  await host().peer.ask('state.update', { ...at, supersteps: [{ updates: [update] }] });
  expect(said(await stateOf(at)).at(-1)).toBe('human: y');
});
