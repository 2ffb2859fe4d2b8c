import { randomUUID } from 'node:crypto';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { openAgentHttp } from '../../testing/agent-http.ts';

/** The official client and a real agent server: threads without their states. */

const http = useFixture(openAgentHttp);
const client = useFixture(() => http().client());

const ids = (found: readonly { thread_id: string }[]) => found.map((one) => one.thread_id);

test('when a thread is created, then it is read, changed, found and deleted', async () => {
  const metadata = { name: 'test_thread' };
  const one = await client().threads.create({ metadata });
  expect(one).toEqual({
    thread_id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    created_at: one.created_at,
    updated_at: one.created_at,
    state_updated_at: one.created_at,
    metadata,
    config: {},
    status: 'idle',
    values: null,
    interrupts: {},
    error: null,
  });
  expect(await client().threads.get(one.thread_id)).toEqual(one);
  const changed = await client().threads.update(one.thread_id, { metadata: { modified: true } });
  expect(changed.metadata).toEqual({ ...metadata, modified: true });
  expect(Date.parse(changed.updated_at)).toBeGreaterThanOrEqual(Date.parse(one.updated_at));
  expect(
    await client().threads.update(one.thread_id, { metadata: { x: 1 }, returnMinimal: true }),
  ).toBeUndefined();
  const other = await client().threads.create({ metadata: { name: 'another_thread' } });
  expect(ids(await client().threads.search({ limit: 2 }))).toEqual([other.thread_id, one.thread_id]);
  expect(ids(await client().threads.search({ metadata: { modified: true } }))).toEqual([one.thread_id]);
  await client().threads.delete(one.thread_id);
  await expect(client().threads.get(one.thread_id)).rejects.toThrow('HTTP 404');
  await expect(client().threads.delete(one.thread_id)).rejects.toThrow('HTTP 404');
  await expect(client().threads.update(one.thread_id, { metadata: {} })).rejects.toThrow('HTTP 404');
  await expect(client().threads.get('no-uuid')).rejects.toThrow('HTTP 422');
});

test('when a run makes a thread for itself alone, then it is not found among the others', async () => {
  const before = ids(await client().threads.search({ limit: 1000 }));
  const input = { messages: [{ role: 'user', content: 'hello' }] };
  await client().runs.wait(null, 'agent', { input });
  expect(ids(await client().threads.search({ limit: 1000 }))).toEqual(before);
  expect(await client().threads.count()).toBe(before.length);
  // The client sends it, and its types do not name it.
  const keep: object = { onCompletion: 'keep' };
  await client().runs.wait(null, 'agent', { input, ...keep });
  expect(await client().threads.search({ limit: 1000 })).toHaveLength(before.length + 1);
});

test('when a thread’s id is taken, then it is a conflict, or what is there if asked for', async () => {
  const threadId = randomUUID().toUpperCase();
  const made = await client().threads.create({ threadId, metadata: { first: true } });
  expect(made.thread_id).toBe(threadId.toLowerCase());
  await expect(client().threads.create({ threadId })).rejects.toThrow('HTTP 409');
  const again = await client().threads.create({
    threadId,
    metadata: { second: true },
    ifExists: 'do_nothing',
  });
  expect(again).toEqual(made);
});

test('when threads are searched, then ids, metadata and status find them, in pages and any order', async () => {
  const made: string[] = [];
  for (const n of [1, 2, 3, 4]) {
    const { thread_id } = await client().threads.create({ metadata: { series: { of: 'four' }, n } });
    made.push(thread_id);
  }
  const metadata = { series: { of: 'four' } };
  expect(ids(await client().threads.search({ metadata }))).toEqual(made.toReversed());
  expect(ids(await client().threads.search({ metadata, sortBy: 'created_at', sortOrder: 'asc' }))).toEqual(
    made,
  );
  expect(ids(await client().threads.search({ metadata, sortBy: 'thread_id', sortOrder: 'asc' }))).toEqual(
    made.toSorted(),
  );
  expect(
    ids(await client().threads.search({ ids: made.slice(0, 2), sortBy: 'created_at', sortOrder: 'asc' })),
  ).toEqual(made.slice(0, 2));
  expect(ids(await client().threads.search({ ids: [] }))).toEqual(ids(await client().threads.search()));
  for (const [status, count] of [
    ['idle', 4],
    ['busy', 0],
    ['interrupted', 0],
    ['error', 0],
  ] as const) {
    expect(ids(await client().threads.search({ metadata, status }))).toHaveLength(count);
    expect(await client().threads.count({ metadata, status })).toBe(count);
  }
  expect(await client().threads.count({ metadata, values: { a: 1 } })).toBe(0);
  const [chosen] = await client().threads.search({
    metadata: { n: 3 },
    select: ['thread_id', 'metadata'],
    extract: { number: 'metadata.n', of: 'metadata.series.of', missing: 'values.messages[-1]' },
  });
  expect(chosen).toEqual({
    thread_id: made[2],
    metadata: { ...metadata, n: 3 },
    extracted: { number: 3, of: 'four', missing: null },
  });
  const pages: unknown[] = [];
  for (const [limit, offset] of [
    [3, 0],
    [3, 3],
    [2, 2],
    [3, 9],
  ]) {
    const page = await fetch(`${http().url}/threads/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
      body: JSON.stringify({ metadata, limit, offset }),
    });
    const told = ['x-pagination-total', 'x-pagination-next'].map((name) => page.headers.get(name));
    pages.push([((await page.json()) as unknown[]).length, ...told]);
  }
  expect(pages).toEqual([
    [3, '4', '3'],
    [1, '4', null],
    [2, '4', null],
    [0, '4', null],
  ]);
});

test('when a thread is searched by its values, then the newest ones count', async () => {
  const message = { role: 'user', messageId: randomUUID(), parts: [{ kind: 'text', text: 'find me' }] };
  const rpc = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
  const sent = await http().agent.call('agent', JSON.stringify(rpc));
  const { result } = (await sent.json()) as { result: { contextId: string } };
  const values = { messages: [{ content: 'find me' }] };
  expect(await client().threads.count({ values })).toBe(1);
  expect(ids(await client().threads.search({ values }))).toEqual([result.contextId]);
  expect(await client().threads.count({ values: { messages: [{ content: 'find you' }] } })).toBe(0);
});

test('when a caller asks for the ttl, then a thread tells when it ends', async () => {
  const { thread_id } = await client().threads.create({ ttl: 60 });
  expect(await client().threads.get(thread_id)).not.toHaveProperty('ttl');
  const shown = (await client().threads.get(thread_id, { include: ['ttl'] })) as unknown as {
    ttl: { strategy: string; ttl_minutes: number; expires_at: string };
  };
  expect(shown.ttl).toMatchObject({ strategy: 'delete', ttl_minutes: 60 });
  expect(Date.parse(shown.ttl.expires_at)).toBeGreaterThan(Date.now());
  await client().threads.update(thread_id, {
    ttl: { strategy: 'keep_latest', ttl: 0.5 } as never,
  });
  expect(await client().threads.get(thread_id, { include: ['ttl'] })).toMatchObject({
    ttl: { strategy: 'keep_latest', ttl_minutes: 0.5 },
  });
});

test('when a thread is copied, then the copy has its metadata, and an id of its own', async () => {
  const one = await client().threads.create({ metadata: { a: 1 } });
  const copy = await client().threads.copy(one.thread_id);
  expect(copy.thread_id).not.toBe(one.thread_id);
  expect(copy.metadata).toEqual({ a: 1, thread_id: copy.thread_id });
  await expect(client().threads.copy(randomUUID())).rejects.toThrow('HTTP 404');
});

test('when threads are pruned together, then those that are there go', async () => {
  const made = [await client().threads.create(), await client().threads.create()].map((one) => one.thread_id);
  const kept = await client().threads.prune([...made, randomUUID()], { strategy: 'keep_latest' });
  expect(kept).toEqual({ pruned_count: 2 });
  expect(await client().threads.prune([...made, randomUUID()])).toEqual({ pruned_count: 2 });
  expect(await client().threads.search({ ids: made })).toEqual([]);
});

test('when a person asks for threads, then they see their own alone', async () => {
  const [ann, bo] = [http().client('of:ann'), http().client('of:bo')];
  const { thread_id } = await ann.threads.create({ metadata: { x: 1 } });
  expect((await ann.threads.search()).map((one) => one.thread_id)).toEqual([thread_id]);
  expect(await bo.threads.search()).toEqual([]);
  expect(await bo.threads.count()).toBe(0);
  expect(await bo.threads.prune([thread_id])).toEqual({ pruned_count: 0 });
  for (const refused of [
    () => bo.threads.get(thread_id),
    () => bo.threads.update(thread_id, { metadata: { y: 1 } }),
    () => bo.threads.copy(thread_id),
    () => bo.threads.delete(thread_id),
    () => bo.threads.getState(thread_id),
    () => bo.threads.getHistory(thread_id),
    () => bo.threads.updateState(thread_id, { values: {} }),
    () => bo.threads.patchState(thread_id, {}),
  ])
    await expect(refused()).rejects.toThrow('HTTP 404');
  await expect(bo.threads.create({ threadId: thread_id, ifExists: 'do_nothing' })).rejects.toThrow(
    'HTTP 409',
  );
  expect((await ann.threads.get(thread_id)).metadata).toEqual({ x: 1, roadstead_subject: 'ann' });
});

test('when nothing has run in a thread, then it has no state', async () => {
  const { thread_id } = await client().threads.create();
  expect(await client().threads.getState(thread_id)).toMatchObject({
    values: {},
    next: [],
    checkpoint: null,
  });
  expect(await client().threads.getHistory(thread_id)).toEqual([]);
  await expect(client().threads.updateState(thread_id, { values: { a: 1 } })).rejects.toThrow('HTTP 400');
  await expect(client().threads.patchState(thread_id, {})).rejects.toThrow('HTTP 400');
  await expect(
    client().threads.create({ supersteps: [{ updates: [{ values: {}, asNode: 'a' }] }] }),
  ).rejects.toThrow('HTTP 400');
});
