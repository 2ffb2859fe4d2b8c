import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { HostEvent, StreamMode } from '@roadstead/contracts/host';
import { HostUnderTest } from './testing/host-process.ts';

const agents = fileURLToPath(new URL('../fixtures/agents', import.meta.url));
const human = (text: string) => ({ messages: [{ role: 'user', content: text }] });

const host = useFixture(() => new HostUnderTest(agents));

type StreamEvent = Extract<HostEvent, { kind: 'stream' }>;

async function streamed(
  modes: readonly StreamMode[],
  { subgraphs = false, graph_id = 'parts' } = {},
): Promise<StreamEvent[]> {
  const { outcome, events } = await host().run({
    thread_id: randomUUID(),
    graph_id,
    input: human('x'),
    stream: { modes, subgraphs },
    plain: false,
  });
  expect(outcome.outcome).toBe('success');
  return events as StreamEvent[];
}

const namesOf = (events: readonly StreamEvent[]) => events.map(({ event }) => event);
const contents = (messages: unknown) => (messages as { content: string }[]).map(({ content }) => content);
const contentsIn = ({ data }: StreamEvent) => contents((data as { messages: unknown }).messages);

test('when values are streamed, then they are whole states, with messages as objects', async () => {
  const events = await streamed(['values']);
  expect(events.map((one) => [one.kind, one.event, one.ns])).toEqual(
    events.map(() => ['stream', 'values', []]),
  );
  expect(events.map(contentsIn)).toEqual([['x'], ['x', 'ab'], ['x', 'ab', 'one', 'two']]);
  expect((events[0]?.data as { messages: unknown } | undefined)?.messages).toMatchObject([
    { type: 'human', content: 'x', additional_kwargs: {}, response_metadata: {} },
  ]);
});

test('when updates are streamed, then they are what nodes returned, of subgraphs if asked for', async () => {
  const events = await streamed(['updates']);
  expect(events.map(({ data }) => Object.keys(data as object))).toEqual([['inner'], ['whole']]);
  const deep = await streamed(['updates'], { subgraphs: true });
  expect(
    deep.map(({ ns, data }) => [ns.map((one) => one.split(':')[0]), Object.keys(data as object)]),
  ).toEqual([
    [['inner'], ['think']],
    [[], ['inner']],
    [[], ['whole']],
  ]);
});

test('when messages are streamed, then they come by the piece, each with where it comes from', async () => {
  const events = await streamed(['messages-tuple', 'values']);
  const tuples = events
    .filter(({ event }) => event === 'messages')
    .map(({ data }) => data as [{ content: string; id: string; type: string }, { langgraph_node: string }]);
  expect(tuples.map(([{ content }, { langgraph_node }]) => [langgraph_node, content])).toEqual([
    ['think', 'a'],
    ['think', 'b'],
    ['whole', 'one'],
    ['whole', 'two'],
  ]);
  expect(new Set(tuples.map(([{ id }]) => id)).size).toBe(3);
  expect(contentsIn(events.findLast(({ event }) => event === 'values') as StreamEvent)).toEqual([
    'x',
    'ab',
    'one',
    'two',
  ]);
});

test('when messages are streamed the older way, then each piece tells all so far', async () => {
  const events = await streamed(['messages']);
  expect(namesOf(events)).toEqual([
    'messages/complete',
    'messages/metadata',
    'messages/partial',
    'messages/partial',
    'messages/complete',
    'messages/complete',
  ]);
  const partial = events.filter(({ event }) => event === 'messages/partial');
  expect(partial.map(({ data }) => contents(data))).toEqual([['a'], ['ab']]);
  const [id] = Object.keys(events[1]?.data as object);
  expect(partial.map(({ data }) => (data as { id: string }[])[0]?.id)).toEqual([id, id]);
  expect(
    events.filter(({ event }) => event === 'messages/complete').map(({ data }) => contents(data)),
  ).toEqual([['x'], ['ab'], ['one', 'two']]);
});

test('when custom is streamed, then it is what nodes write', async () => {
  expect(await streamed(['custom'])).toEqual([
    { kind: 'stream', event: 'custom', ns: [], data: { progress: '10' } },
  ]);
});

test('when tasks and checkpoints are streamed, then they name themselves and what they belong to', async () => {
  const events = await streamed(['tasks', 'checkpoints']);
  const tasks = events
    .filter(({ event }) => event === 'tasks')
    .map(({ data }) => data as Record<string, unknown>);
  expect(tasks.map((task) => [task['name'], 'result' in task])).toEqual([
    ['inner', false],
    ['inner', true],
    ['whole', false],
    ['whole', true],
  ]);
  const checkpoints = events
    .filter(({ event }) => event === 'checkpoints')
    .map(({ data }) => data as Record<string, unknown>);
  expect(checkpoints.map(({ next }) => next)).toEqual([['__start__'], ['inner'], ['whole'], []]);
  expect(checkpoints[1]?.['parent_checkpoint']).toEqual(checkpoints[0]?.['checkpoint']);
  const [inner] = (checkpoints[1]?.['tasks'] ?? []) as { id: string; checkpoint: object }[];
  expect(inner?.checkpoint).toMatchObject({ checkpoint_ns: `inner:${inner?.id}` });
  expect(JSON.stringify(events)).not.toContain('__pregel_checkpointer');
});

test('when debug is streamed, then it tells of tasks and checkpoints in its own words', async () => {
  const events = await streamed(['debug']);
  const parts = events.map(({ data }) => data as { type: string; payload: Record<string, unknown> });
  expect(parts.map(({ type }) => type)).toEqual([
    'checkpoint',
    'checkpoint',
    'task',
    'task_result',
    'checkpoint',
    'task',
    'task_result',
    'checkpoint',
  ]);
  expect(parts[1]?.payload['checkpoint']).toMatchObject({ checkpoint_ns: '' });
});

test('when events are streamed, then they tell what happens inside of nodes, beside other modes', async () => {
  const events = await streamed(['events', 'updates'], { subgraphs: true });
  expect(new Set(namesOf(events))).toEqual(new Set(['events', 'updates']));
  const inner = events
    .filter(({ event }) => event === 'events')
    .map(({ data }) => data as { event: string; data: { chunk: { content: string } } });
  const tokens = inner.filter(({ event }) => event === 'on_chat_model_stream');
  expect(tokens.map(({ data }) => data.chunk.content)).toEqual(['a', 'b']);
  expect(inner.at(-1)).toMatchObject({ event: 'on_chain_end', name: 'parts' });
  expect(events.filter(({ event }) => event === 'updates')).toHaveLength(3);
});

test('when tools are streamed, then they tell of calls', async () => {
  const events = await streamed(['tools'], { graph_id: 'caller' });
  expect(events.map(({ data }) => (data as { event: string }).event)).toEqual([
    'on_tool_start',
    'on_tool_end',
  ]);
});

test('when a run asks, then the question ends the stream, and the state comes with the end', async () => {
  const run = { thread_id: randomUUID(), graph_id: 'nested', plain: false, values: true } as const;
  const stream = { modes: ['values'], subgraphs: false } as const;
  const asked = await host().run({ ...run, input: human('x'), stream });
  const interrupts = [{ id: expect.any(String) as unknown, value: 'Who?' }];
  expect((asked.events.at(-1) as StreamEvent).data).toEqual({ __interrupt__: interrupts });
  const { values } = asked.outcome as { values: { messages: unknown } };
  expect(contents(values.messages)).toEqual(['x', 'Wait.']);
  const answered = await host().run({ ...run, command: { resume: '' } });
  expect(answered.events).toEqual([]);
  const after = answered.outcome as { values: { messages: unknown } };
  expect(contents(after.values.messages)).toEqual(['x', 'Wait.', 'Hello ""']);
});

test('when a run is to stop before or after nodes, then it does', async () => {
  const run = { thread_id: randomUUID(), graph_id: 'parts', values: true, plain: false } as const;
  const before = await host().run({ ...run, input: human('x'), interrupt_before: ['whole'] });
  expect(before.outcome).toMatchObject({ interrupts: [], next: ['whole'] });
  const after = await host().run({ ...run, input: null, interrupt_after: '*' });
  expect(contents((after.outcome as { values: { messages: unknown } }).values.messages)).toEqual([
    'x',
    'ab',
    'one',
    'two',
  ]);
});

test('when plain messages and a stream are asked for, then they come side by side', async () => {
  const { events } = await host().run({
    thread_id: randomUUID(),
    graph_id: 'parts',
    input: human('x'),
    chunks: true,
    stream: { modes: ['updates', 'messages-tuple'], subgraphs: true },
  });
  const plain = events.filter((event) => event.kind === 'message').map(({ message }) => message.text);
  expect(plain).toEqual(['ab', 'one', 'two']);
});
