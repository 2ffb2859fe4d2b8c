import { Client } from '@langchain/langgraph-sdk';
import { statusOf, useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { openAgent } from '../testing/open-agent.ts';

/** What keys that are bound to two persons can do to each other: nothing; the workspace's own key sees all. */

const agent = useFixture(openAgent);
beforeAll(() => agent().serve(crypto.randomUUID()));

type Of = { readonly subject?: string };
const [carol, dave, workspace]: Of[] = [{ subject: 'carol@x.org' }, { subject: 'dave' }, {}];

function clientOf(of: Of = {}): Client {
  const fetch = (...sent: ConstructorParameters<typeof Request>) => agent().fetch(new Request(...sent), of);
  return new Client({ apiUrl: 'http://roadstead.test', callerOptions: { maxRetries: 0, fetch } });
}

const input = { messages: [{ role: 'user', content: 'hello' }] };

interface Answer {
  readonly result?: {
    readonly id?: string;
    readonly contextId?: string;
    readonly totalSize?: number;
    readonly status?: { readonly state: string };
  };
  readonly error?: { readonly code: number };
}

async function rpc(of: Of | undefined, method: string, params: object): Promise<Answer> {
  const request = new Request('http://roadstead.test/a2a/agent', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await (await agent().fetch(request, of)).json()) as Answer;
}

test('when a key is a subject’s, then its threads, runs and states are that subject’s alone', async () => {
  const [hers, his, all] = [clientOf(carol), clientOf(dave), clientOf(workspace)];
  const { thread_id } = await hers.threads.create({ metadata: { roadstead_subject: 'dave' } });
  const { run_id } = await hers.runs.create(thread_id, 'agent', { input });
  await hers.runs.join(thread_id, run_id);
  const attempts = [
    () => his.threads.get(thread_id),
    () => his.threads.update(thread_id, { metadata: { roadstead_subject: 'dave' } }),
    () => his.threads.copy(thread_id),
    () => his.threads.getState(thread_id),
    () => his.threads.getHistory(thread_id),
    () => his.runs.get(thread_id, run_id),
    () => his.runs.join(thread_id, run_id),
    () => his.runs.cancel(thread_id, run_id),
    () => his.runs.wait(thread_id, 'agent', { input, ifNotExists: 'create' }),
    () => his.crons.createForThread(thread_id, 'agent', { schedule: '0 0 1 1 *', input }),
    () => his.threads.delete(thread_id),
  ];
  for (const attempt of attempts)
    expect([attempt.toString(), await statusOf(attempt())]).toEqual([attempt.toString(), 404]);
  expect(await his.threads.search({ ids: [thread_id] })).toEqual([]);
  await hers.threads.update(thread_id, { metadata: { roadstead_subject: 'dave' } });
  expect(await statusOf(his.threads.get(thread_id))).toBe(404);
  expect((await all.threads.get(thread_id)).metadata).toMatchObject({ roadstead_subject: 'carol@x.org' });
});

test('when a subject begins a task, then the task and its thread are that subject’s', async () => {
  const message = {
    kind: 'message',
    role: 'user',
    messageId: crypto.randomUUID(),
    contextId: 'shared-name',
    parts: [{ kind: 'text', text: 'Hello' }],
  };
  const sent = await rpc(carol, 'message/send', { message });
  expect(sent.result?.status?.state).toBe('completed');
  const { id } = sent.result ?? {};
  for (const other of [dave, workspace]) {
    expect((await rpc(other, 'tasks/get', { id })).error?.code).toBe(-32_001);
    expect((await rpc(other, 'tasks/cancel', { id })).error?.code).toBe(-32_001);
    expect((await rpc(other, 'ListTasks', {})).result?.totalSize).toBe(0);
  }
  expect((await rpc(carol, 'ListTasks', {})).result?.totalSize).toBe(1);
  const [one] = await clientOf(carol).threads.search({ metadata: { a2a_context_id: 'shared-name' } });
  expect(await statusOf(clientOf(dave).threads.get(one?.thread_id ?? ''))).toBe(404);
  // The same message id and the same context, for another.
  expect((await rpc(dave, 'message/send', { message })).result?.id).not.toBe(id);
});

test('when a subject uses the store, then its namespaces begin with its name', async () => {
  const [hers, his] = [clientOf(carol), clientOf(dave)];
  await hers.store.putItem(['carol@x%2Eorg', 'notes'], 'one', { text: 'secret' });
  for (const attempt of [
    () => his.store.getItem(['carol@x%2Eorg', 'notes'], 'one'),
    () => his.store.searchItems([]),
    () => his.store.searchItems(['carol@x%2Eorg']),
    () => his.store.listNamespaces({}),
    () => his.store.deleteItem(['carol@x%2Eorg', 'notes'], 'one'),
  ])
    expect(await statusOf(attempt())).toBe(403);
  expect((await hers.store.getItem(['carol@x%2Eorg', 'notes'], 'one'))?.value).toEqual({ text: 'secret' });
});

test('when a subject makes a cron, then the cron is that subject’s', async () => {
  const [hers, his] = [clientOf(carol), clientOf(dave)];
  const { cron_id } = (await hers.crons.create('agent', { schedule: '0 0 1 1 *', input })) as unknown as {
    readonly cron_id: string;
  };
  expect((await hers.crons.search({})).map((one) => one.cron_id)).toEqual([cron_id]);
  expect(await his.crons.search({})).toEqual([]);
  expect(await statusOf(his.crons.delete(cron_id))).toBe(404);
  expect(await statusOf(hers.crons.delete(cron_id))).toBe(200);
});
