import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { listeningAgent } from '../../testing/listening-agent.ts';

/** Runs on a thread whose run has not ended, by every strategy, and what ends runs before their time. */

const listening = useFixture(listeningAgent);
const client = useFixture(() => listening().client());

const says = (content: string) => ({ messages: [{ role: 'user', content }] });
const textsOf = (state: unknown) =>
  (state as { messages: { content: string }[] }).messages.map(({ content }) => content);
const open = (gate: string) => client().runs.wait(null, 'gate', { input: says(`open ${gate}`) });

/** A run that waits at a gate of its own, once its first node has ended. */
async function waiting(thread_id: string = crypto.randomUUID()) {
  const gate = crypto.randomUUID();
  const { run_id } = await client().runs.create(thread_id, 'gate', {
    input: says(`wait ${gate}`),
    streamMode: ['updates'],
    ifNotExists: 'create',
  });
  for await (const { event } of client().runs.joinStream(thread_id, run_id)) if (event === 'updates') break;
  return { thread_id, run_id, gate };
}

test('when a second run is to enqueue, then it begins after the first has ended', async () => {
  const { thread_id, run_id, gate } = await waiting();
  const second = await client().runs.create(thread_id, 'gate', { input: says('second') });
  expect(await client().runs.get(thread_id, second.run_id)).toMatchObject({ status: 'pending' });
  await open(gate);
  expect(textsOf(await client().runs.join(thread_id, second.run_id)).at(-1)).toBe('second');
  expect(await client().runs.get(thread_id, run_id)).toMatchObject({ status: 'success' });
});

test('when a second run is to be rejected, then it is a conflict, and the first goes on', async () => {
  const { thread_id, run_id, gate } = await waiting();
  const refused = client().runs.create(thread_id, 'gate', {
    input: says('second'),
    multitaskStrategy: 'reject',
  });
  await expect(refused).rejects.toThrow('409');
  await open(gate);
  expect(textsOf(await client().runs.join(thread_id, run_id))).toHaveLength(3);
  expect(await client().runs.list(thread_id)).toHaveLength(1);
});

test('when a second run interrupts, then the first ends, and what it did stays', async () => {
  const { thread_id, run_id } = await waiting();
  const values = await client().runs.wait(thread_id, 'gate', {
    input: says('second'),
    multitaskStrategy: 'interrupt',
  });
  expect(textsOf(values)).toEqual([
    expect.stringMatching(/^wait /),
    'Let me see.',
    'second',
    'Let me see.',
    'second',
  ]);
  expect(await client().runs.get(thread_id, run_id)).toMatchObject({ status: 'interrupted' });
  expect(await client().runs.join(thread_id, run_id)).toEqual({
    __error__: { error: 'UserInterrupt', message: expect.stringContaining('gave way to run') },
  });
});

test('when a second run rolls back, then the first is gone, with what it did', async () => {
  const { thread_id, run_id } = await waiting();
  const values = await client().runs.wait(thread_id, 'gate', {
    input: says('second'),
    multitaskStrategy: 'rollback',
  });
  expect(textsOf(values)).toEqual(['second', 'Let me see.', 'second']);
  const [newest] = await client().threads.getHistory(thread_id, { limit: 1 });
  expect(textsOf(newest?.values)).toEqual(['second', 'Let me see.', 'second']);
  await expect(client().runs.get(thread_id, run_id)).rejects.toThrow('404');
});

test('when a run is cancelled, then it ends, also one that waits for its turn', async () => {
  const { thread_id, run_id } = await waiting();
  const second = await client().runs.create(thread_id, 'gate', { input: says('second') });
  await client().runs.cancel(thread_id, second.run_id, true);
  expect(await client().runs.get(thread_id, second.run_id)).toMatchObject({ status: 'interrupted' });
  expect(await client().runs.get(thread_id, run_id)).toMatchObject({ status: 'running' });
  await client().runs.cancel(thread_id, run_id, true);
  expect(await client().runs.get(thread_id, run_id)).toMatchObject({ status: 'interrupted' });
});

test('when a run is cancelled with rollback, then it is gone', async () => {
  const { thread_id, run_id } = await waiting();
  await client().runs.cancel(thread_id, run_id, true, 'rollback');
  await expect(client().runs.get(thread_id, run_id)).rejects.toThrow('404');
});

test('when runs are cancelled together, then their ids or their states name them', async () => {
  const first = await waiting();
  await client().runs.cancelMany({ threadId: first.thread_id, runIds: [first.run_id] });
  const ended = await client().runs.join(first.thread_id, first.run_id);
  expect(ended).toMatchObject({ __error__: { error: 'UserInterrupt' } });
  const second = await waiting();
  await client().runs.cancelMany({ threadId: second.thread_id, status: 'all' });
  await client().runs.join(second.thread_id, second.run_id);
  await expect(
    client().runs.cancelMany({ threadId: first.thread_id, runIds: [second.run_id] }),
  ).rejects.toThrow('404');
  await expect(client().runs.cancelMany({})).rejects.toThrow('422');
});

test.each(['stream', 'wait'] as const)(
  'when a client leaves its %s and on_disconnect is cancel, then the run ends',
  async (how) => {
    const thread_id = crypto.randomUUID();
    const gone = new AbortController();
    const gate = crypto.randomUUID();
    const asked = fetch(`${listening().url}/threads/${thread_id}/runs/${how}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        assistant_id: 'gate',
        input: says(`wait ${gate}`),
        if_not_exists: 'create',
        on_disconnect: 'cancel',
      }),
      signal: gone.signal,
    });
    const response = await asked;
    const [, run_id = ''] = /runs\/(.+)$/.exec(response.headers.get('content-location') ?? '') ?? [];
    expect(await client().runs.get(thread_id, run_id)).toMatchObject({
      status: expect.stringMatching(/pending|running/),
    });
    gone.abort();
    await expect.poll(async () => (await client().runs.get(thread_id, run_id)).status).toBe('interrupted');
  },
);

test('when a client leaves and on_disconnect is unset, then the run goes on', async () => {
  const thread_id = crypto.randomUUID();
  const gate = crypto.randomUUID();
  const gone = new AbortController();
  let run_id = '';
  const stream = client().runs.stream(thread_id, 'gate', {
    input: says(`wait ${gate}`),
    ifNotExists: 'create',
    signal: gone.signal,
    onRunCreated: (run) => (run_id = run.run_id),
  });
  for await (const { event } of stream) if (event === 'values') break;
  gone.abort();
  await open(gate);
  expect(textsOf(await client().runs.join(thread_id, run_id)).at(-1)).toBe(`wait ${gate}`);
});

test('when a run has after_seconds, then it begins later, and others need not wait for it', async () => {
  const thread_id = crypto.randomUUID();
  const later = await client().runs.create(thread_id, 'gate', {
    input: says('later'),
    ifNotExists: 'create',
    afterSeconds: 3600,
  });
  const now = await client().runs.wait(thread_id, 'gate', { input: says('now') });
  expect(textsOf(now).at(-1)).toBe('now');
  expect(await client().runs.get(thread_id, later.run_id)).toMatchObject({ status: 'pending' });
  await client().runs.cancel(thread_id, later.run_id, true);
  expect(await client().runs.get(thread_id, later.run_id)).toMatchObject({ status: 'interrupted' });
});
