import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { Problem, silentLog, receiverOf } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { untilAborted } from '@roadstead/testing';
import { engineDatabase } from '../testing/engine-database.ts';
import { type ServingWebhooks, WebhookLoop, type WebhookLoopOptions } from './webhook-loop.ts';

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const serving: ServingWebhooks = {
  settings: {
    env_prefix: 'LG_WEBHOOK_',
    headers: { 'X-Token': '${{ env.LG_WEBHOOK_TOKEN }}' },
    url: null,
  },
  disabled: false,
  environment: { LG_WEBHOOK_TOKEN: 'abc', LG_WEBHOOK_SIGNING_SECRET: SECRET },
};

interface Ending {
  readonly interrupts?: readonly object[];
  readonly next?: readonly string[];
  readonly webhook?: string;
  readonly status?: string;
  readonly error?: { readonly name: string; readonly message: string };
  readonly traceparent?: string;
  readonly principal?: string;
}

/** A run that begins and ends as the engine's statements leave it. */
async function endRun(
  db: Database,
  {
    webhook,
    status = 'success',
    error,
    traceparent,
    principal = '',
    interrupts = [],
    ...stopped
  }: Ending = {},
): Promise<string> {
  const [run_id, thread_id] = [crypto.randomUUID(), crypto.randomUUID()];
  await db.run(
    `insert into threads (thread_id, "values", values_stale) values ($1, $2::text::jsonb, false)`,
    [thread_id, '{"messages":["é"]}'],
  );
  await db.run(
    `insert into runs (run_id, thread_id, assistant_id, graph_id, revision_id, attempt, status, input, chunks, metadata, traceparent, kwargs, principal, webhook_receiver)
     values ($1, $2, $3, 'echo', $3, 1, 'pending', '{"messages":[]}', false, '{"a":1}', $4, $5::text::jsonb, $6, $7)`,
    [
      run_id,
      thread_id,
      crypto.randomUUID(),
      traceparent ?? null,
      JSON.stringify(webhook === undefined ? {} : { webhook }),
      principal,
      receiverOf(webhook ?? ''),
    ],
  );
  const at = '2026-01-01T00:00:00.000Z';
  const end = {
    seq: 3,
    at,
    kind: 'end',
    status,
    interrupts,
    ...stopped,
    ...(error === undefined ? {} : { error }),
  };
  await db.run('insert into run_events (run_id, seq, events) values ($1, 1, $2::text::jsonb)', [
    run_id,
    JSON.stringify([{ seq: 1, at, kind: 'started', attempt: 1 }]),
  ]);
  await db.run(
    `with event as (insert into run_events (run_id, seq, events) values ($1, 3, $2::text::jsonb))
     update runs set status = $3, ended_at = now() where run_id = $1`,
    [run_id, JSON.stringify([end]), status],
  );
  return run_id;
}

interface Came {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function receiver(answers: readonly number[] = []) {
  const own = await engineDatabase();
  const came: Came[] = [];
  const take = async (request: Request) => {
    came.push({
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    });
    return new Response(null, { status: answers[came.length - 1] ?? 200 });
  };
  const epoch = await own.takeEpoch();
  const open = (options: Partial<WebhookLoopOptions> = {}) =>
    new WebhookLoop({
      db: own.db,
      epoch,
      fetch: take,
      loopback: take,
      serving: () => serving,
      present: ({ run_id, kwargs }) => ({ run_id, kwargs }),
      log: silentLog,
      random: () => 0,
      ...options,
    });
  const state = async (run_id: string) =>
    own.db.maybe<{ state: string; attempts: number; error: string | null }>(
      'select state, attempts, error from webhook_calls where run_id = $1',
      [run_id],
    );
  return { ...own, epoch, came, open, state, [Symbol.asyncDispose]: () => own[Symbol.asyncDispose]() };
}

const hook = 'https://receiver.test/hook';

describe('the commit that ends a run', () => {
  test('when a run named a webhook, then its commit leaves a call, and otherwise none', async () => {
    await using box = await receiver();
    const [told, silent] = [await endRun(box.db, { webhook: hook }), await endRun(box.db)];
    expect(await box.state(told)).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(await box.state(silent)).toBeUndefined();
  });

  test('when the commit is rolled back, then no call is left', async () => {
    await using box = await receiver();
    const run_id = await endRun(box.db, { webhook: hook, status: 'running' });
    const rolledBack = box.db.transaction(async (tx) => {
      await tx.run(`update runs set status = 'success' where run_id = $1`, [run_id]);
      throw new Error('changed our mind');
    });
    await expect(rolledBack).rejects.toThrow('changed our mind');
    expect(await box.state(run_id)).toBeUndefined();
  });
});

test('when a run ends, then its webhook is told, with headers and a signature that verifies', async () => {
  await using box = await receiver();
  await using loop = box.open().start();
  const run_id = await endRun(box.db, { webhook: hook, traceparent: TRACE });
  loop.wake({ run_id, principal: '' }, hook);
  await expect.poll(() => box.state(run_id)).toMatchObject({ state: 'delivered', attempts: 1 });
  const [{ url, headers, body }] = box.came as [Came];
  expect(url).toBe(hook);
  expect(headers).toMatchObject({
    'x-token': 'abc',
    'webhook-id': run_id,
    traceparent: TRACE,
    'content-type': 'application/json',
  });
  expect(new Webhook(SECRET).verify(body, headers)).toMatchObject({
    run_id,
    status: 'success',
    values: { messages: ['é'] },
    kwargs: { input: { messages: [] } },
    run_started_at: '2026-01-01T00:00:00.000Z',
    run_ended_at: '2026-01-01T00:00:00.000Z',
  });
});

test('when a run fails, then the webhook hears the words that callers may read', async () => {
  await using box = await receiver();
  const error = { name: 'Error', message: 'The agent failed; the reason is in its log.' };
  await endRun(box.db, { webhook: hook, status: 'error', error });
  await using _ = box.open().start();
  await expect.poll(() => box.came.length).toBe(1);
  expect(JSON.parse(box.came[0]?.body ?? '')).toMatchObject({ status: 'error', error: error.message });
});

test('when a call is not taken, then it is sent again later, by the engine of that time', async () => {
  await using box = await receiver([500, 200]);
  const run_id = await endRun(box.db, { webhook: hook });
  {
    await using _ = box.open().start();
    await expect.poll(() => box.state(run_id)).toMatchObject({ attempts: 1, error: 'answered 500' });
  }
  await box.db.run('update webhook_calls set due_at = now()');
  const epoch = await box.takeEpoch();
  await using _ = box.open({ epoch }).start();
  await expect.poll(() => box.state(run_id)).toMatchObject({ state: 'delivered', attempts: 2 });
  expect(new Set(box.came.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('when an engine is replaced, then it may tell, and records nothing', async () => {
  await using box = await receiver();
  const run_id = await endRun(box.db, { webhook: hook });
  await box.takeEpoch();
  await using _ = box.open().start();
  await expect.poll(() => box.came.length).toBe(1);
  expect(await box.state(run_id)).toMatchObject({ state: 'waiting', attempts: 0 });
});

test('when nothing serves, then calls wait until something does', async () => {
  await using box = await receiver();
  const run_id = await endRun(box.db, { webhook: hook });
  let now: ServingWebhooks | undefined;
  await using loop = box.open({ serving: () => now }).start();
  loop.wake({ run_id, principal: '' }, hook);
  now = serving;
  loop.start();
  await expect.poll(() => box.state(run_id)).toMatchObject({ state: 'delivered', attempts: 1 });
});

test.each<[string, string, Partial<WebhookLoopOptions>, RegExp]>([
  ['when they are switched off', hook, { serving: () => ({ ...serving, disabled: true }) }, /switched off/],
  [
    'at an address that may not be called',
    hook,
    {
      fetch: () =>
        Promise.reject(new Problem('invalid', 'receiver.test is not a host of the public internet.')),
    },
    /public internet/,
  ],
  ['at an address that is none', 'gopher://x', {}, /begins with https/],
])('when a run names a webhook, then it is given up %s', async (_name, webhook, options, error) => {
  await using box = await receiver();
  const run_id = await endRun(box.db, { webhook });
  await using _ = box.open(options).start();
  await expect
    .poll(() => box.state(run_id))
    .toMatchObject({ state: 'dead', error: expect.stringMatching(error) });
});

test('when a webhook is a path, then it is one of the deployment itself', async () => {
  await using box = await receiver();
  const run_id = await endRun(box.db, { webhook: '/own/hook?x=1' });
  await using _ = box.open({ fetch: () => Promise.reject(new Error('not outside')) }).start();
  await expect.poll(() => box.state(run_id)).toMatchObject({ state: 'delivered' });
  expect(box.came[0]?.url).toBe('http://loopback/own/hook?x=1');
});

test.each([
  [
    'asks',
    { interrupts: [{ id: 'q', value: 'Sure?', task_id: 't' }], next: ['ask'] },
    [{ id: 'q', value: 'Sure?' }],
  ],
  [
    'asks for an answer of a form',
    { interrupts: [{ id: 'q', value: 'Sure?', response_schema: { type: 'boolean' }, wants: 'credentials' }] },
    [{ id: 'q', value: 'Sure?', response_schema: { type: 'boolean' } }],
  ],
  ['stops at a node', { next: ['act'] }, []],
  ['ends', {}, undefined],
  [
    'is rolled back to its question',
    { status: 'interrupted', interrupts: [{ id: 'q', value: 'Sure?' }] },
    undefined,
  ],
] as const)(
  'when a run %s, then its webhook is told what the thread waits for',
  async (_how, ending, interrupts) => {
    await using box = await receiver();
    await endRun(box.db, { webhook: hook, ...ending });
    await using _loop = box.open().start();
    await expect.poll(() => box.came.length).toBe(1);
    const told = JSON.parse(box.came[0]?.body ?? '{}') as { readonly interrupts?: unknown };
    expect(told).toMatchObject({ status: 'status' in ending ? ending.status : 'success' });
    expect(told.interrupts).toEqual(interrupts);
  },
);

test('when a caller’s receiver does not answer, then others are told meanwhile', async () => {
  const told: string[] = [];
  const unanswered: Request[] = [];
  await using box = await receiver();
  const ends = async (count: number, webhook: string, principal: string) => {
    for (let at = 0; at < count; at += 1) await endRun(box.db, { webhook, principal });
  };
  for (const address of ['https://slow.test/', 'https://Slow.test', 'https://slow.test:443'])
    await ends(40, address, 'user:greedy');
  await ends(3, 'https://well.test/', 'user:greedy');
  await ends(3, 'https://well.test/', 'user:b');
  await using _ = box
    .open({
      fetch: async (request) => {
        told.push(new URL(request.url).host);
        if (!request.url.includes('slow')) return new Response();
        unanswered.push(request);
        return untilAborted(request.signal);
      },
    })
    .start();
  const toldTo = (name: string) => told.filter((host) => host === name).length;
  await expect.poll(() => toldTo('well.test')).toBe(6);
  await expect.poll(() => toldTo('slow.test')).toBe(8);
});

test('when a call fails during a backlog, then it is not repeated before its time', async () => {
  const told = new Map<string, number>();
  await using box = await receiver();
  for (let at = 0; at < 120; at += 1) await endRun(box.db, { webhook: hook });
  await using loop = box.open({
    fetch: async (request) => {
      const run_id = request.headers.get('webhook-id') ?? '';
      told.set(run_id, (told.get(run_id) ?? 0) + 1);
      loop.wake({ run_id, principal: '' }, hook);
      return new Response(null, { status: 503 });
    },
  });
  loop.start();
  const untold = () => box.db.one<{ count: number }>('select count(*) from webhook_calls where attempts = 0');
  await expect.poll(untold).toEqual({ count: 0 });
  expect([told.size, Math.max(...told.values())]).toEqual([120, 1]);
});
