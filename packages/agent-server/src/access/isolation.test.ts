import { Client } from '@langchain/langgraph-sdk';
import { statusOf, useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { fixtureRevision, openAgent } from '../testing/open-agent.ts';

/** What two users of one deployment can do to each other by the official client: nothing. */

const agent = useFixture(openAgent);
beforeAll(async () => {
  const spec = fixtureRevision(crypto.randomUUID());
  const auth = {
    path: './users.js:auth',
    disable_studio_auth: false,
    openapi: null,
    cache: null,
    allow_langsmith_api_keys: false,
  };
  await agent().server.prepare({ ...spec, project: { ...spec.project, auth } }, new AbortController().signal);
  await agent().server.activate(spec.revision_id, new AbortController().signal);
});

const [alice, bob] = [clientOf('alice'), clientOf('bob')];
function clientOf(user: string): Client {
  const fetch = (...sent: ConstructorParameters<typeof Request>) =>
    agent().server.fetch(new Request(...sent));
  return new Client({
    apiUrl: 'http://roadstead.test',
    defaultHeaders: { authorization: `Bearer ${user}` },
    callerOptions: { maxRetries: 0, fetch },
  });
}

const input = { messages: [{ role: 'user', content: 'hello' }] };

test('when one user makes a thread, then it is that user’s, in every way to it', async () => {
  const { thread_id, metadata } = await alice.threads.create({ metadata: { owner: 'bob', topic: 'x' } });
  expect(metadata).toMatchObject({ owner: 'alice', topic: 'x' });
  const { run_id } = await alice.runs.create(thread_id, 'agent', { input });
  await alice.runs.join(thread_id, run_id);
  const attempts: Record<string, () => Promise<unknown>> = {
    get: () => bob.threads.get(thread_id),
    update: () => bob.threads.update(thread_id, { metadata: { owner: 'bob' } }),
    copy: () => bob.threads.copy(thread_id),
    delete: () => bob.threads.delete(thread_id),
    state: () => bob.threads.getState(thread_id),
    'state update': () => bob.threads.updateState(thread_id, { values: input }),
    history: () => bob.threads.getHistory(thread_id),
    runs: () => bob.runs.list(thread_id),
    run: () => bob.runs.get(thread_id, run_id),
    join: () => bob.runs.join(thread_id, run_id),
    cancel: () => bob.runs.cancel(thread_id, run_id),
    'run delete': () => bob.runs.delete(thread_id, run_id),
    'new run': () => bob.runs.create(thread_id, 'agent', { input }),
    'new run, made where it is not there': () =>
      bob.runs.create(thread_id, 'agent', { input, ifNotExists: 'create' }),
    wait: () => bob.runs.wait(thread_id, 'agent', { input, ifNotExists: 'create' }),
  };
  const refused: Record<string, unknown> = {};
  for (const [name, attempt] of Object.entries(attempts)) refused[name] = await statusOf(attempt());
  expect(refused).toEqual(Object.fromEntries(Object.keys(attempts).map((name) => [name, 404])));
  expect(await statusOf(bob.threads.create({ threadId: thread_id, ifExists: 'do_nothing' }))).toBe(409);
  expect(await bob.threads.search({ metadata: { topic: 'x' } })).toEqual([]);
  expect(await bob.threads.search({ ids: [thread_id] })).toEqual([]);
  expect((await alice.threads.search({ metadata: { topic: 'x' } })).map((one) => one.thread_id)).toEqual([
    thread_id,
  ]);
  expect(await alice.runs.list(thread_id)).toHaveLength(1);
});

test('when an owner changes the owner of a thread, then nothing changes', async () => {
  const { thread_id } = await alice.threads.create();
  const patched = await alice.threads.update(thread_id, { metadata: { owner: 'bob' } });
  expect(patched.metadata).toMatchObject({ owner: 'alice' });
  expect(await statusOf(bob.threads.get(thread_id))).toBe(404);
});

test('when a user keeps items, then they lie below the user’s name, and no other finds them', async () => {
  await alice.store.putItem(['notes'], 'one', { text: 'secret' });
  expect((await alice.store.getItem(['notes'], 'one'))?.value).toEqual({ text: 'secret' });
  expect(await bob.store.getItem(['notes'], 'one')).toBeNull();
  expect(await bob.store.getItem(['alice', 'notes'], 'one')).toBeNull();
  expect((await bob.store.searchItems([], {})).items).toEqual([]);
  expect((await bob.store.searchItems(['alice'], {})).items).toEqual([]);
  expect((await bob.store.listNamespaces({ prefix: ['alice'] })).namespaces).toEqual([]);
  await bob.store.deleteItem(['alice', 'notes'], 'one');
  expect((await alice.store.getItem(['notes'], 'one'))?.value).toEqual({ text: 'secret' });
});

test('when somebody makes an assistant, then nobody else sees it', async () => {
  const made = await alice.assistants.create({ graphId: 'agent', name: 'Mine' });
  for (const attempt of [
    () => bob.assistants.get(made.assistant_id),
    () => bob.assistants.update(made.assistant_id, { name: 'Theirs' }),
    () => bob.assistants.delete(made.assistant_id),
  ])
    expect(await statusOf(attempt())).toBe(404);
  expect((await bob.assistants.search({ name: 'Mine' })).length).toBe(0);
  expect((await alice.assistants.search({ name: 'Mine' })).length).toBe(1);
});

test.each(['/internal/truncate', '/internal', '/openapi/../internal/truncate'])(
  'when %s is asked for, then nothing that wipes data is served',
  async (path) => {
    const request = new Request(`http://roadstead.test${path}`, { method: 'POST', body: '{"threads":true}' });
    expect((await agent().server.fetch(request)).status).toBe(404);
  },
);
