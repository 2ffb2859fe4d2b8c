import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { contentsOf, runOf, startHost, streamed } from './host.ts';

/** What a run streams, in each mode. */

const host = useFixture(() => startHost('graphs'));

test('when values are streamed, then they are whole states, with messages of LangChain', async () => {
  const events = await streamed(host(), 'stages', { modes: ['values'] });
  expect(events.map(({ event, ns }) => [event, ns])).toEqual(events.map(() => ['values', []]));
  expect(events.map(({ data }) => contentsOf(data))).toEqual([
    ['hello'],
    ['hello', 'one'],
    ['hello', 'one', 'two'],
  ]);
});

test('when updates are streamed, then they are by the node that returned them', async () => {
  const events = await streamed(host(), 'stages', { modes: ['updates'] });
  expect(events.map(({ data }) => Object.keys(data as object))).toEqual([['first'], ['second']]);
});

test('when subgraphs are streamed, then their events bear their namespace', async () => {
  const events = await streamed(host(), 'nested', { modes: ['updates'], subgraphs: true });
  expect(
    events.map(({ ns, data }) => [ns.map((one) => one.split(':')[0]), Object.keys(data as object)]),
  ).toEqual([
    [['inner'], ['first']],
    [['inner'], ['second']],
    [[], ['inner']],
  ]);
});

test('when custom is streamed, then it is what nodes write', async () => {
  expect(await streamed(host(), 'stages', { modes: ['custom'] })).toEqual([
    { kind: 'stream', event: 'custom', ns: [], data: { progress: 1 } },
  ]);
});

test('when message tuples are streamed, then each piece comes with where it comes from', async () => {
  const events = await streamed(host(), 'model', { modes: ['messages-tuple'] });
  const pieces = events
    .filter(({ event }) => event === 'messages')
    .map(({ data }) => data as [{ content: string; id: string }, { langgraph_node: string }]);
  expect(pieces.map(([{ content }]) => content).join('')).toBe('hello');
  expect(pieces.length).toBeGreaterThan(2);
  expect(new Set(pieces.map(([{ id }]) => id)).size).toBe(1);
  expect(new Set(pieces.map(([, { langgraph_node }]) => langgraph_node))).toEqual(new Set(['say']));
});

test('when pieces share their metadata, then it is sent once and known by its number', async () => {
  const sent: { shares?: number; shared?: number; length: number }[] = [];
  const tell = host().engine.tell.bind(host().engine);
  host().engine.tell = (message, blobs) => {
    if (message.method === 'emit')
      for (const event of message.params.events)
        if (event.kind === 'stream' && event.event === 'messages')
          sent.push({ ...event, length: (event.data as unknown[]).length });
    tell(message, blobs);
  };
  await streamed(host(), 'model', { modes: ['messages-tuple'] });
  host().engine.tell = tell;
  // A host may also send all of them whole; where it shares, it does so by the rules.
  const given = new Set(sent.map(({ shares }) => shares));
  const isWrong = ({ shared, length }: (typeof sent)[number]) =>
    shared === undefined ? length !== 2 : length !== 1 || !given.has(shared);
  expect(sent.filter(isWrong)).toEqual([]);
  expect(sent.length).toBeGreaterThan(2);
});

test('when messages are streamed the older way, then each piece tells all so far', async () => {
  const events = await streamed(host(), 'model', { modes: ['messages'] });
  const partial = events.filter(({ event }) => event === 'messages/partial');
  const last = partial.at(-1)?.data as readonly { readonly content: string }[];
  expect(last.map(({ content }) => content)).toEqual(['hello']);
  expect(events.map(({ event }) => event)).toContain('messages/metadata');
});

test('when tasks are streamed, then each begins and ends', async () => {
  const events = await streamed(host(), 'stages', { modes: ['tasks'] });
  const tasks = events.map(({ data }) => data as Readonly<Record<string, unknown>>);
  expect(tasks.map((task) => [task['name'], 'result' in task])).toEqual([
    ['first', false],
    ['first', true],
    ['second', false],
    ['second', true],
  ]);
});

test('when checkpoints are streamed, then each names its parent and what comes next', async () => {
  const events = await streamed(host(), 'stages', { modes: ['checkpoints'] });
  const checkpoints = events.map(({ data }) => data as Readonly<Record<string, unknown>>);
  expect(checkpoints.map(({ next }) => next)).toEqual([['__start__'], ['first'], ['second'], []]);
  expect(checkpoints[1]?.['parent_checkpoint']).toEqual(checkpoints[0]?.['checkpoint']);
});

test('when debug is streamed, then it tells of tasks and checkpoints in its own words', async () => {
  const events = await streamed(host(), 'stages', { modes: ['debug'] });
  const types = new Set(events.map(({ data }) => (data as { readonly type: string }).type));
  expect(types).toEqual(new Set(['checkpoint', 'task', 'task_result']));
});

test('when events are streamed, then they tell of models inside of nodes', async () => {
  const events = await streamed(host(), 'model', { modes: ['events'] });
  const names = events.map(({ data }) => (data as { readonly event: string }).event);
  expect(names).toContain('on_chat_model_stream');
  expect(names.at(-1)).toBe('on_chain_end');
});

test('when several modes are streamed, then events of each come', async () => {
  const events = await streamed(host(), 'stages', { modes: ['values', 'updates', 'custom'] });
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['values', 'updates', 'custom']));
});

test('when nothing is streamed, then no stream events come', async () => {
  const { events } = await host().run(runOf('stages'));
  expect(events.map(({ kind }) => kind)).toEqual(['message', 'message']);
});

test('when somebody reads chunks, then a model is heard by the piece, and whole after it', async () => {
  const { events } = await host().run(runOf('model', { chunks: true }));
  const pieces = events.flatMap((event) => (event.kind === 'chunk' ? [event.text] : []));
  expect(pieces.join('')).toBe('hello');
  expect(pieces.length).toBeGreaterThan(2);
  expect(events.at(-1)).toMatchObject({ kind: 'message', message: { role: 'assistant', text: 'hello' } });
});

test('when nobody reads chunks, then whole messages come alone', async () => {
  const { events } = await host().run(runOf('model'));
  expect(events.map(({ kind }) => kind)).toEqual(['message']);
});
