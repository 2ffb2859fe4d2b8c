import { useFixture } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { listeningAgent } from '../../testing/listening-agent.ts';

/** What goes on from run to run: questions, histories, settings, and the stream of a thread. */

const listening = useFixture(listeningAgent);
const client = useFixture(() => listening().client());

const says = (content: string) => ({ messages: [{ role: 'user', content }] });
const textsOf = (state: unknown) =>
  (state as { messages: { content: string }[] }).messages.map(({ content }) => content);
const creating = { ifNotExists: 'create' as const };

test('when a run asks, then the question comes with the state and is answered by a command', async () => {
  const thread_id = crypto.randomUUID();
  const asked = await client().runs.wait(thread_id, 'gate', { input: says('ask'), ...creating });
  expect(asked).toMatchObject({
    messages: expect.any(Array),
    __interrupt__: [{ id: expect.any(String), value: { question: 'Who is there?' } }],
  });
  expect(await client().threads.get(thread_id)).toMatchObject({ status: 'interrupted' });
  const [run] = await client().runs.list(thread_id);
  expect(run?.status).toBe('success');
  const parts = [];
  for await (const { event, data } of client().runs.stream(thread_id, 'gate', {
    command: { resume: 'Ann' },
    streamMode: 'values',
  }))
    parts.push([event, data]);
  expect(textsOf(parts.at(-1)?.[1]).at(-1)).toBe('Hello, Ann!');
  expect(await client().threads.get(thread_id)).toMatchObject({ status: 'idle', interrupts: {} });
});

test('when a run names a checkpoint of the history, then it begins there', async () => {
  const thread_id = crypto.randomUUID();
  await client().runs.wait(thread_id, 'gate', { input: says('one'), ...creating });
  await client().runs.wait(thread_id, 'gate', { input: says('two') });
  const history = await client().threads.getHistory(thread_id, { limit: 20 });
  const after_one = history.find(({ values, next }) => next.length === 0 && textsOf(values).length === 3);
  const { checkpoint_id } = after_one?.checkpoint ?? {};
  const forked = await client().runs.wait(thread_id, 'gate', {
    input: says('three'),
    ...(checkpoint_id ? { checkpointId: checkpoint_id } : {}),
  });
  expect(textsOf(forked)).toEqual(['one', 'Let me see.', 'one', 'three', 'Let me see.', 'three']);
  // What each branch wrote stands beside the other's.
  const both = await client().threads.getHistory(thread_id, { limit: 40 });
  expect(textsOf(both[0]?.values)).toEqual(textsOf(forked));
  const two = both.filter(({ checkpoint }) =>
    history.some((known) => known.checkpoint.checkpoint_id === checkpoint.checkpoint_id),
  );
  expect(two.map(({ values }) => values)).toEqual(history.map(({ values }) => values));
});

test('when a graph fails, then it is an error event, an error of who waits, and a status', async () => {
  const thread_id = crypto.randomUUID();
  const events = [];
  for await (const part of client().runs.stream(thread_id, 'gate', { input: says('fail'), ...creating }))
    events.push(part);
  expect(events.at(-1)).toMatchObject({
    event: 'error',
    data: { error: expect.any(String), message: expect.any(String) },
  });
  await expect(client().runs.wait(thread_id, 'gate', { input: says('fail') })).rejects.toThrow(/Error/);
  const [run] = await client().runs.list(thread_id, { status: 'error', limit: 1 });
  expect(run?.status).toBe('error');
  expect(await client().threads.get(thread_id)).toMatchObject({ status: 'error' });
});

test('when runs without a thread start together, then they are found by their ids', async () => {
  const runs = await client().runs.createBatch([
    { assistantId: 'gate', input: says('one') },
    { assistantId: 'gate', input: says('two') },
  ]);
  const ended = await Promise.all(runs.map(({ thread_id, run_id }) => client().runs.join(thread_id, run_id)));
  expect(ended.map((state) => textsOf(state).at(-1))).toEqual(['one', 'two']);
  const events = [];
  for await (const { event } of client().runs.joinStream(null, runs[0]?.run_id ?? '')) events.push(event);
  expect(events).toEqual(['metadata', 'values', 'values', 'values']);
  const unnamed = await fetch(`${listening().url}/runs/${runs[0]?.run_id}/stream?stream_mode=`);
  expect((await unnamed.text()).match(/^event: .*$/gm)).toEqual(events.map((event) => `event: ${event}`));
});

test('when a thread has run, then it names its graph, and later runs configure themselves', async () => {
  const { thread_id } = await client().threads.create();
  await client().runs.wait(thread_id, 'gate', {
    input: says('hello'),
    config: { configurable: { voice: 'dry' } },
  });
  const thread = await client().threads.get(thread_id);
  expect(thread.metadata).toMatchObject({ graph_id: 'gate', assistant_id: expect.any(String) });
  const run = await client().runs.create(thread_id, 'gate', { input: says('again') });
  const { kwargs } = run as unknown as { kwargs: { config: { configurable: object } } };
  expect(kwargs.config.configurable).toMatchObject({ graph_id: 'gate' });
  expect(kwargs.config.configurable).not.toHaveProperty('voice');
  await client().runs.join(thread_id, run.run_id);
});

describe('the stream of a thread', () => {
  test('when a thread is followed, then it tells run after run, and goes on where its reader was', async () => {
    const thread_id = crypto.randomUUID();
    const run = async (text: string) =>
      client().runs.join(
        thread_id,
        (await client().runs.create(thread_id, 'gate', { input: says(text), ...creating })).run_id,
      );
    await run('one');
    const gone = new AbortController();
    const first = [];
    for await (const part of client().threads.joinStream(thread_id, {
      lastEventId: '-',
      signal: gone.signal,
    })) {
      first.push(part);
      if ((part.data as { status?: string }).status === 'run_done') break;
    }
    expect(first.map(({ event }) => event)).toEqual(['metadata', 'values', 'values', 'values', 'metadata']);
    await run('two');
    const second = [];
    for await (const part of client().threads.joinStream(thread_id, {
      lastEventId: first[1]?.id as string,
    })) {
      second.push(part);
      if (second.length === 5) break;
    }
    expect(second.slice(0, 3)).toEqual(first.slice(2));
    expect(second.slice(3).map(({ event }) => event)).toEqual(['metadata', 'values']);
  });

  test('when a delayed run begins, then it is told, also after one that was asked for later', async () => {
    const { thread_id } = await client().threads.create();
    const delayed = await client().runs.create(thread_id, 'gate', { input: says('late'), afterSeconds: 1 });
    const gone = new AbortController();
    const stream = client().threads.joinStream(thread_id, { signal: gone.signal });
    const told: unknown[] = [];
    const reading = (async () => {
      for await (const { data } of stream) {
        const { status, run_id } = data as { status?: string; run_id?: string };
        if (status === 'run_done' && told.push(run_id) === 2) gone.abort();
      }
    })().catch(() => undefined);
    const sooner = await client().runs.create(thread_id, 'gate', { input: says('soon') });
    await reading;
    expect(told).toEqual([sooner.run_id, delayed.run_id]);
  });

  test('when only the lifecycle is asked for, then begin and end are told', async () => {
    const thread_id = crypto.randomUUID();
    await client().runs.wait(thread_id, 'gate', { input: says('one'), ...creating });
    const { run_id } = await client().runs.create(thread_id, 'gate', { input: says('two') });
    await client().runs.join(thread_id, run_id);
    const parts = [];
    for await (const part of client().threads.joinStream(thread_id, {
      lastEventId: '-',
      streamMode: ['lifecycle'],
    })) {
      parts.push(part.data);
      if ((part.data as { run_id?: string; status?: string }).status === 'run_done' && parts.length > 2)
        break;
    }
    expect(parts.at(-1)).toEqual({ status: 'run_done', run_id });
    expect(parts).toContainEqual({ run_id, attempt: 1 });
  });
});

test.each([
  ['an unknown thread', '/threads/11111111-1111-4111-8111-111111111111/runs', { assistant_id: 'gate' }, 404],
  ['an unknown assistant', '/runs', { assistant_id: 'nobody' }, 404],
  ['no assistant', '/runs', {}, 422],
  ['a thread that is no uuid', '/threads/x/runs', { assistant_id: 'gate' }, 422],
  ['a batch of 101', '/runs/batch', Array.from({ length: 101 }, () => ({ assistant_id: 'gate' })), 422],
  ['more than 30 days', '/runs', { assistant_id: 'gate', after_seconds: 2_592_001 }, 422],
  [
    'configurable and context',
    '/runs',
    { assistant_id: 'gate', context: { a: 1 }, config: { configurable: { a: 1 } } },
    422,
  ],
])('when a run is asked for with %s, then it is refused in words', async (_, path, body, status) => {
  const answer = await fetch(listening().url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ detail: expect.anything() });
});
