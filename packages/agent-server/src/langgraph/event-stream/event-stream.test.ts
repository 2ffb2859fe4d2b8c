import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { listeningAgent } from '../../testing/listening-agent.ts';
import type { ProtocolEvent } from './protocol-event.ts';

/** The event-streaming protocol, by the official client and by hand, against a real agent server. */

const listening = useFixture(listeningAgent);
const client = useFixture(() => listening().client());

const says = (content: string) => ({ messages: [{ role: 'user', content }] });
const ALL = [
  'values',
  'updates',
  'messages',
  'tools',
  'lifecycle',
  'input',
  'checkpoints',
  'tasks',
  'custom',
];

async function newThread(): Promise<string> {
  return (await client().threads.create()).thread_id;
}

let ids = 0;
interface Answer {
  readonly type: string;
  readonly result: Readonly<Record<string, unknown>>;
  readonly error?: string;
  readonly meta: { readonly thread_id: string; readonly applied_through_seq: number };
}
async function command(thread_id: string, method: string, params: object = {}): Promise<Answer> {
  const response = await fetch(`${listening().url}/threads/${thread_id}/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: ++ids, method, params }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

/** Events until one that is the last. */
async function events(
  thread_id: string,
  {
    until = isEnd,
    ...filter
  }: { readonly until?: (event: ProtocolEvent) => boolean } & Readonly<Record<string, unknown>> = {},
): Promise<ProtocolEvent[]> {
  const gone = new AbortController();
  const response = await fetch(`${listening().url}/threads/${thread_id}/stream/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ channels: ALL, ...filter }),
    signal: gone.signal,
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const found: ProtocolEvent[] = [];
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const frames = `${text}${chunk}`.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const [id, name, data = ''] = frame.split('\n').filter((line) => !line.startsWith(':'));
      const event = JSON.parse(data.slice('data: '.length)) as ProtocolEvent;
      expect([id, name]).toEqual([`id: ${event.event_id}`, `event: ${event.method}`]);
      found.push(event);
      if (until(event)) {
        gone.abort();
        return found;
      }
    }
  }
  throw new Error('The stream ended.');
}

const dataOf = ({ params }: ProtocolEvent) => params.data as Readonly<Record<string, unknown>>;
const isEnd = (event: ProtocolEvent) =>
  event.method === 'lifecycle' &&
  event.params.namespace.length === 0 &&
  ['completed', 'failed', 'interrupted'].includes(String(dataOf(event)['event']));

const start = (thread_id: string, assistant_id: string, content: string, more: object = {}) =>
  command(thread_id, 'run.start', { assistant_id, input: says(content), ...more });

test('when a run is told, then its events are typed, word by word and part by part of the graph', async () => {
  const thread_id = await newThread();
  const started = await start(thread_id, 'parts', 'Hi');
  expect(started).toMatchObject({
    type: 'success',
    result: { run_id: expect.any(String) },
    meta: { thread_id },
  });
  const told = await events(thread_id);
  expect(told[0]).toMatchObject({
    type: 'event',
    method: 'lifecycle',
    params: { namespace: [], timestamp: expect.any(Number), data: { event: 'running', graph_name: 'parts' } },
  });
  const seqs = told.map(({ seq }) => seq);
  expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
  expect(new Set(told.map(({ event_id }) => event_id)).size).toBe(told.length);
  const spoken = told.filter(({ method, params }) => method === 'messages' && params.namespace.length === 2);
  expect(spoken.map((event) => dataOf(event)['event'])).toEqual([
    'message-start',
    'content-block-start',
    'content-block-delta',
    'content-block-delta',
    'content-block-finish',
    'message-finish',
  ]);
  expect(dataOf(spoken[4]!)).toMatchObject({ content: { type: 'text', text: 'ab' } });
  const lifecycles = told
    .filter(({ method }) => method === 'lifecycle')
    .map((event) => [dataOf(event)['graph_name'], dataOf(event)['event']]);
  expect(lifecycles).toEqual([
    ['parts', 'running'],
    ['inner', 'started'],
    ['think', 'started'],
    ['think', 'completed'],
    ['inner', 'completed'],
    ['whole', 'started'],
    ['whole', 'completed'],
    ['parts', 'completed'],
  ]);
  expect(told.find(({ method }) => method === 'custom')).toMatchObject({
    params: { data: { payload: { progress: '10' } } },
  });
  expect(told.find(({ method }) => method === 'checkpoints')).toMatchObject({
    params: { data: { id: expect.any(String), step: expect.any(Number), source: expect.any(String) } },
  });
  expect(await command(thread_id, 'agent.getTree')).toMatchObject({
    result: {
      tree: {
        namespace: [],
        status: 'completed',
        children: [{ graph_name: 'inner' }, { graph_name: 'whole' }],
      },
    },
  });
});

test('when a thread is read again, then it gives the same events, or what follows `since`', async () => {
  const thread_id = await newThread();
  await start(thread_id, 'parts', 'Hi');
  const first = await events(thread_id);
  expect(await events(thread_id)).toEqual(first);
  const middle = first[Math.floor(first.length / 2)]!;
  await start(thread_id, 'parts', 'Again');
  let ends = 0;
  const twoEnds = (event: ProtocolEvent) => isEnd(event) && ++ends === 2;
  const rest = await events(thread_id, { since: middle.seq, until: twoEnds });
  expect(rest.slice(0, first.length - first.indexOf(middle) - 1)).toEqual(
    first.slice(first.indexOf(middle) + 1),
  );
  ends = 0;
  const all = await events(thread_id, { since: 0, until: twoEnds });
  expect(all.slice(first.length).length).toBeGreaterThan(5);
  const seqs = all.map(({ seq }) => seq);
  expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
  expect(await events(thread_id)).toEqual(all.slice(first.length));
});

test('when channels, namespaces or a depth are named, then only those are told', async () => {
  const thread_id = await newThread();
  await start(thread_id, 'parts', 'Hi');
  const narrow = await events(thread_id, {
    channels: ['lifecycle', 'values'],
    namespaces: [['inner']],
    depth: 0,
    until: (event: ProtocolEvent) => event.method === 'lifecycle' && dataOf(event)['event'] === 'completed',
  });
  expect(narrow.every(({ params }) => params.namespace.length === 1)).toBe(true);
  expect(new Set(narrow.map(({ method }) => method))).toEqual(new Set(['lifecycle', 'values']));
});

test('when a run asks, then its question is told, and answered by its id', async () => {
  const thread_id = await newThread();
  await start(thread_id, 'nested', 'Hi');
  const told = await events(thread_id);
  expect(dataOf(told.at(-1)!)).toMatchObject({ event: 'interrupted' });
  const asked = told.filter(({ method }) => method === 'input.requested');
  expect(asked).toHaveLength(1);
  const { interrupt_id } = dataOf(asked[0]!);
  expect(dataOf(asked[0]!)).toEqual({ interrupt_id: expect.any(String), payload: 'Who?' });
  expect(await command(thread_id, 'input.respond', { interrupt_id: 'nobody', response: 1 })).toMatchObject({
    type: 'error',
    error: 'no_such_interrupt',
  });
  expect(
    await command(thread_id, 'input.respond', { namespace: [], interrupt_id, response: 'Ann' }),
  ).toMatchObject({ type: 'success' });
  const answered = await events(thread_id, {
    since: told.at(-1)!.seq,
  });
  expect(dataOf(answered.at(-1)!)).toMatchObject({ event: 'completed' });
  const state = await command(thread_id, 'state.get', { namespace: [], keys: ['messages'] });
  expect(JSON.stringify(state.result)).toContain('Hello \\"Ann\\"');
});

test('when a client lists or forks states, then it can; what can’t be is refused by its code', async () => {
  const thread_id = await newThread();
  expect(await command(thread_id, 'input.respond', { interrupt_id: 'x', response: 1 })).toMatchObject({
    error: 'no_such_run',
  });
  await start(thread_id, 'agent', 'one');
  await events(thread_id);
  const listed = await command(thread_id, 'state.listCheckpoints', { limit: 50 });
  const checkpoints = listed.result['checkpoints'] as { id: string; step: number; timestamp: string }[];
  expect(checkpoints.map(({ step }) => step)).toEqual([1, 0, -1]);
  const { meta } = listed;
  const forked = await command(thread_id, 'state.fork', { checkpoint_id: checkpoints[1]!.id });
  expect(forked.result).toEqual({ run_id: expect.any(String), thread_id });
  await client().runs.join(thread_id, String(forked.result['run_id']));
  const injected = await command(thread_id, 'input.inject', {
    namespace: [],
    message: { role: 'user', content: 'two' },
  });
  await client().runs.join(thread_id, String(injected.result['run_id']));
  expect(JSON.stringify(await client().threads.getState(thread_id))).toContain('"two"');
  await events(thread_id);
  const after = await command(thread_id, 'agent.getTree');
  expect(after.meta.applied_through_seq).toBeGreaterThan(meta.applied_through_seq);
  const refusals = [
    ['state.fork', { checkpoint_id: 'none' }, 'no_such_checkpoint'],
    ['input.inject', { namespace: ['a'], message: { role: 'user', content: 'x' } }, 'not_supported'],
    ['run.start', {}, 'invalid_argument'],
    ['subscription.subscribe', { channels: ['values'] }, 'not_supported'],
    ['no.such', {}, 'unknown_command'],
    ['toString', {}, 'unknown_command'],
  ] as const;
  for (const [method, params, error] of refusals)
    expect(await command(thread_id, method, params)).toMatchObject({ type: 'error', error });
});

test('when a run fails, then its stream ends with the error', async () => {
  const thread_id = await newThread();
  await start(thread_id, 'gate', 'fail');
  const told = await events(thread_id);
  expect(dataOf(told.at(-1)!)).toMatchObject({ event: 'failed', error: expect.any(String) });
});

test('when the official client streams a thread, then it gets messages, values and questions', async () => {
  const thread_id = await newThread();
  const open = () => client().threads.stream(thread_id, { assistantId: 'gate' });
  const first = open();
  // Listening begins first: this client pauses what is opened just as a run ends.
  const { messages } = first;
  await first.run.start({ input: says('hello') });
  const words: string[] = [];
  for await (const message of messages) words.push(await message.text);
  expect(words).toEqual(['Let me see.', 'hello']);
  expect(JSON.stringify(await first.output)).toContain('hello');
  await first.close();
  const second = open();
  await second.run.start({ input: says('ask') });
  expect(JSON.stringify(await second.output)).toContain('ask');
  expect(second.interrupted).toBe(true);
  const [question] = second.interrupts;
  expect(question).toMatchObject({ payload: { question: 'Who is there?' } });
  await second.input.respond({
    namespace: [...question!.namespace],
    interrupt_id: question!.interruptId,
    response: 'Ann',
  });
  await expect
    .poll(async () => JSON.stringify(await second.state.get({ namespace: [] })))
    .toContain('Hello, Ann!');
  await second.close();
});
