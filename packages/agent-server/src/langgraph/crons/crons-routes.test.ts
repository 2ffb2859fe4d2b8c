import { Client } from '@langchain/langgraph-sdk';
import { Client as ClientV2 } from 'langgraph-sdk-v2';
import { describe, expect, test } from 'vitest';
import { cronEndpoints } from '@roadstead/contracts/agent-server';
import { serve } from '@roadstead/http';
import { silentLog } from '@roadstead/kit';
import { callerOf, permitSubject } from '../../access/access.ts';
import type { AccessRules } from '../../access/caller.ts';
import { engineDatabase } from '../../testing/engine-database.ts';
import { createCronHandlers } from './crons-routes.ts';

/** The official clients against the handlers of crons on a real database. */

const assistant_id = 'fe096781-5601-53d2-b2f6-0d3403f7e9ca';
const byKeys: AccessRules = {
  authorize: async ({ subject }, attempt) =>
    subject === null ? { value: attempt.value, filters: null } : permitSubject(subject, attempt),
};

async function openCrons() {
  const own = await engineDatabase();
  const epoch = await own.takeEpoch();
  const expected: (string | null)[] = [];
  const thread_id = crypto.randomUUID();
  await own.db.run('insert into threads (thread_id) values ($1)', [thread_id]);
  const handlers = createCronHandlers({
    db: own.db,
    epoch,
    loop: { expect: ({ next_run_date }) => expected.push(next_run_date) },
    access: byKeys,
    callerOf,
    findAssistant: async (id) =>
      ['agent', assistant_id].includes(id) ? { assistant_id, graph_id: 'agent' } : undefined,
    findThread: async (id) => (id === thread_id ? {} : undefined),
    checkWebhook: () => undefined,
  });
  const verify = (assertion: string) => {
    const [subject] = assertion === 'key' ? [undefined] : [assertion];
    return {
      workspace_id: 'w',
      actor: 'key:1',
      scopes: ['agents:invoke' as const],
      ...(subject && { subject }),
    };
  };
  const served = serve(cronEndpoints, handlers, {
    service: 'test',
    verify,
    log: silentLog,
    check_answers: true,
  });
  const fetchAs =
    (assertion: string): typeof fetch =>
    (input, init) =>
      served.fetch(new Request(input, init), { assertion });
  const clientAs = (assertion: string) =>
    new Client({
      apiUrl: 'http://agent.test',
      apiKey: 'k',
      callerOptions: { fetch: fetchAs(assertion), maxRetries: 0 },
    });
  return {
    ...own,
    thread_id,
    expected,
    clientAs,
    crons: clientAs('key').crons,
    fetch: fetchAs('key'),
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
}

describe.each([
  ['1.x', Client],
  ['2.0', ClientV2],
])('@langchain/langgraph-sdk %s', (_name, AnyClient) => {
  test('when a client makes crons, then it can find, change and delete them', async () => {
    await using open = await openCrons();
    const { crons } = new AnyClient({
      apiUrl: 'http://agent.test',
      apiKey: 'k',
      callerOptions: { fetch: open.fetch, maxRetries: 0 },
    });
    const made = await crons.create('agent', {
      schedule: '0 9 * * 1-5',
      timezone: 'Europe/Berlin',
      input: { messages: [] },
      metadata: { team: 'red' },
      onRunCompleted: 'keep',
    });
    expect(made).toMatchObject({
      assistant_id,
      thread_id: null,
      schedule: '0 9 * * 1-5',
      payload: { assistant_id, input: { messages: [] } },
      metadata: { team: 'red' },
      user_id: null,
      on_run_completed: 'keep',
    });
    expect(open.expected).toEqual([made.next_run_date]);
    const onThread = await crons.createForThread(open.thread_id, assistant_id, { schedule: '@daily' });
    expect(onThread).toMatchObject({ thread_id: open.thread_id, on_run_completed: null });
    expect((await crons.search({ limit: 1 })).map(({ cron_id }) => cron_id)).toEqual([onThread.cron_id]);
    expect(await crons.search({ threadId: open.thread_id, select: ['cron_id'] })).toEqual([
      { cron_id: onThread.cron_id },
    ]);
    expect(await crons.count({ assistantId: 'agent' })).toBe(2);
    const changed = await crons.update(made.cron_id, { enabled: false, metadata: { more: 1 } });
    expect(changed).toMatchObject({
      next_run_date: null,
      metadata: { team: 'red', more: 1 },
      payload: { input: { messages: [] } },
    });
    expect(await crons.search({ enabled: true, sortBy: 'cron_id', sortOrder: 'asc' })).toHaveLength(1);
    expect((await crons.update(made.cron_id, { enabled: true })).next_run_date).not.toBeNull();
    await crons.delete(made.cron_id);
    await expect(crons.delete(made.cron_id)).rejects.toThrow(/404/);
    expect(await crons.count()).toBe(1);
  });
});

test('when a cron cannot be, then it is refused by its field', async () => {
  await using open = await openCrons();
  const create = (payload: object) => open.crons.create('agent', { schedule: '* * * * *', ...payload });
  await expect(create({ schedule: '61 * * * *' })).rejects.toThrow(/422.*schedule/);
  await expect(create({ timezone: 'Nowhere/Here' })).rejects.toThrow(/422.*timezone/);
  await expect(create({ endTime: 'soon' })).rejects.toThrow(/422.*end_time/);
  await expect(open.crons.create('nobody', { schedule: '* * * * *' })).rejects.toThrow(/404/);
  const nowhere = open.crons.createForThread(crypto.randomUUID(), 'agent', { schedule: '* * * * *' });
  await expect(nowhere).rejects.toThrow(/404/);
  expect(await open.crons.search({ assistantId: 'nobody' })).toEqual([]);
});

test('when a schedule changes, then its date does; an unchanged one keeps it, and an end may go', async () => {
  await using open = await openCrons();
  const { cron_id, next_run_date } = await open.crons.create('agent', {
    schedule: '0 0 1 1 *',
    endTime: '2125-01-01T00:00:00',
  });
  const same = await open.crons.update(cron_id, { schedule: '0 0 1 1 *', webhook: 'https://a.example' });
  expect(same).toMatchObject({ next_run_date, end_time: '2125-01-01T00:00:00.000Z' });
  const patched = await open.fetch(`http://agent.test/runs/crons/${cron_id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"end_time":null,"schedule":"0 0 2 1 *"}',
  });
  const moved = (await patched.json()) as { end_time: unknown; next_run_date: string };
  expect(moved.end_time).toBeNull();
  expect(moved.next_run_date).not.toBe(next_run_date);
});

test('when a cron belongs to a subject, then nobody else sees, changes or gives it away', async () => {
  await using open = await openCrons();
  const [alice, bob] = [open.clientAs('alice').crons, open.clientAs('bob').crons];
  const { cron_id } = await alice.create('agent', { schedule: '* * * * *' });
  expect(await alice.count()).toBe(1);
  expect(await bob.count()).toBe(0);
  expect(await bob.search()).toEqual([]);
  await expect(bob.update(cron_id, { enabled: false })).rejects.toThrow(/404/);
  await expect(bob.delete(cron_id)).rejects.toThrow(/404/);
  await alice.update(cron_id, { metadata: { roadstead_subject: 'bob' } });
  expect(await bob.count()).toBe(0);
  await alice.delete(cron_id);
});

test('when crons are counted by metadata, then those that have it count', async () => {
  await using open = await openCrons();
  await open.crons.create('agent', { schedule: '* * * * *', metadata: { team: 'red' } });
  const counts = ['red', 'blue'].map((team) => open.crons.count({ metadata: { team } }));
  expect(await Promise.all(counts)).toEqual([1, 0]);
});

test('when there are more crons than a page holds, then it tells where the next begins', async () => {
  await using open = await openCrons();
  for (let at = 0; at < 3; at += 1) await open.crons.create('agent', { schedule: '* * * * *' });
  const page = async (offset: number) => {
    const answer = await open.fetch('http://agent.test/runs/crons/search', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ limit: 2, offset, select: ['cron_id', 'now'] }),
    });
    return [
      ((await answer.json()) as object[]).length,
      answer.headers.get('x-pagination-next'),
      answer.headers.get('x-pagination-total'),
    ];
  };
  expect([await page(0), await page(2)]).toEqual([
    [2, '2', '3'],
    [1, null, '3'],
  ]);
});

test('when a thread is deleted, then its crons go with it', async () => {
  await using open = await openCrons();
  await open.crons.createForThread(open.thread_id, 'agent', { schedule: '* * * * *' });
  await open.db.run('delete from threads where thread_id = $1', [open.thread_id]);
  expect(await open.crons.count()).toBe(0);
});
