import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { listen } from '@roadstead/http';
import { Problem, silentLog } from '@roadstead/kit';
import { type Database, migrate } from '@roadstead/postgres';
import { freshDatabase, untilAborted } from '@roadstead/testing';
import { createGuardedFetch } from './guarded-fetch.ts';
import { outboxDueMigration, outboxMigration, outboxOwnersMigration } from './outbox-migrations.ts';
import { OutboxStore } from './outbox-store.ts';
import { openOutbox, type OutboxOptions } from './outbox.ts';
import { judgeAttempt, parseRetryAfter } from './retry-rules.ts';
import { signWebhook } from './webhook-signature.ts';

const message = (body = '{}', destination = 'a') => ({
  workspace_id: 'w',
  url: 'http://receiver.test/hook',
  destination,
  body,
});
const secret = () => `whsec_${randomBytes(24).toString('base64')}`;

async function freshOutbox(options: Partial<OutboxOptions> & Pick<OutboxOptions, 'fetch'>) {
  const fresh = await freshDatabase();
  const { db } = fresh;
  await migrate(db, {
    schema: 'own',
    migrations: [outboxMigration(1), outboxOwnersMigration(2), outboxDueMigration(3)],
  });
  const open = (more: Partial<OutboxOptions> = {}) =>
    openOutbox({
      db,
      schema: 'own',
      locate: async () => ({ url: 'http://receiver.test/hook', secrets: [] }),
      log: silentLog,
      resync_ms: 10,
      ...options,
      ...more,
    });
  return { db, open, [Symbol.asyncDispose]: () => fresh[Symbol.asyncDispose]() };
}

const state = async (db: Database, id: string) =>
  db.one<{ state: string; attempts: number; error: string | null; in_s: number }>(
    `select state, attempts, error, extract(epoch from due_at - now())::float8 as in_s from own.outbox_messages where id = $1`,
    [id],
  );
const setDue = (db: Database) => db.run('update own.outbox_messages set due_at = now()');

test('when a transaction is committed, then its message is sent, signed as the library asks', async () => {
  const secrets = [secret(), secret()];
  const came: { body: string; headers: Record<string, string> }[] = [];
  await using box = await freshOutbox({
    fetch: async (request) => {
      came.push({ body: await request.text(), headers: Object.fromEntries(request.headers) });
      return new Response(null, { status: 204 });
    },
    locate: async (destination) => ({ url: `http://receiver.test/${destination}`, secrets }),
  });
  await using outbox = box.open();
  const rolledBack = box.db.transaction(async (tx) => {
    await outbox.add(tx, message());
    throw new Error('changed our mind');
  });
  await expect(rolledBack).rejects.toThrow('changed our mind');
  const body = '{"type":"revision.deployed","data":{"name":"é"}}';
  const added = await box.db.transaction((tx) => outbox.add(tx, message(body)));
  const { id } = added;
  outbox.wake(added);
  await expect.poll(() => state(box.db, id)).toMatchObject({ state: 'delivered', attempts: 1, error: null });
  expect(came).toHaveLength(1);
  const [{ body: received, headers }] = came as [(typeof came)[0]];
  expect(headers['webhook-id']).toBe(id);
  for (const one of secrets) expect(new Webhook(one).verify(received, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(secret()).verify(received, headers)).toThrow(/signature/i);
});

test('when many messages are added at once, then each is kept once, with an id, in their order', async () => {
  await using box = await freshOutbox({ fetch: async () => new Response(null, { status: 204 }) });
  await using outbox = box.open();
  const messages = Array.from({ length: 300 }, (_, index) => message(`${index}`, `${index}`));
  const added = await box.db.transaction((tx) => outbox.addAll(tx, messages));
  expect(await box.db.transaction((tx) => outbox.addAll(tx, []))).toEqual([]);
  const rows = await box.db.query<{ id: string }>('select id, destination, body from own.outbox_messages');
  const byId = new Map(rows.map(({ id, ...message }) => [id, message]));
  expect(rows).toHaveLength(300);
  expect(added.map(({ id }) => byId.get(id))).toEqual(
    messages.map(({ destination, body }) => ({ destination, body })),
  );
});

test('when a message is not taken, then it is sent again later with the same id, until it is', async () => {
  const answers = [500, 404, 200];
  const ids: (string | null)[] = [];
  await using box = await freshOutbox({
    fetch: async ({ headers }) => {
      ids.push(headers.get('webhook-id'));
      return new Response(null, { status: answers.shift() ?? 200, headers: { 'retry-after': '3' } });
    },
    random: () => 0.5,
  });
  await using outbox = box.open();
  const { id } = await box.db.transaction((tx) => outbox.add(tx, message()));
  await expect
    .poll(() => state(box.db, id))
    .toMatchObject({ state: 'waiting', attempts: 1, error: 'answered 500' });
  expect((await state(box.db, id)).in_s).toBeGreaterThan(3);
  await setDue(box.db);
  await expect.poll(() => state(box.db, id)).toMatchObject({ attempts: 2, error: 'answered 404' });
  expect((await state(box.db, id)).in_s).toBeGreaterThan(15);
  await setDue(box.db);
  await expect.poll(() => state(box.db, id)).toMatchObject({ state: 'delivered', attempts: 3, error: null });
  expect(new Set(ids)).toEqual(new Set([id]));
});

test('when a message is tried, then the outcome is told in the transaction that records it', async () => {
  const answers = [500, 200];
  const came: (string | null)[] = [];
  await using box = await freshOutbox({
    fetch: async ({ headers }) => {
      came.push(headers.get('authorization'), headers.get('content-type'));
      return new Response(null, { status: answers.shift() ?? 200 });
    },
    locate: async () => ({
      url: 'http://receiver.test/hook',
      secrets: [],
      headers: { Authorization: 'Bearer of-ours', 'Content-Type': 'text/plain' },
    }),
    onVerdict: async (tx, { destination }, verdict) => {
      await tx.run('insert into own.told values ($1, $2)', [destination, verdict.state]);
    },
  });
  await box.db.run('create table own.told (destination text, state text)');
  await using outbox = box.open();
  const { id } = await box.db.transaction((tx) => outbox.add(tx, message()));
  await expect.poll(() => state(box.db, id)).toMatchObject({ state: 'waiting', attempts: 1 });
  await setDue(box.db);
  await expect.poll(() => state(box.db, id)).toMatchObject({ state: 'delivered' });
  expect(await box.db.query('select * from own.told')).toEqual([
    { destination: 'a', state: 'waiting' },
    { destination: 'a', state: 'delivered' },
  ]);
  expect(came).toEqual(['Bearer of-ours', 'application/json', 'Bearer of-ours', 'application/json']);
});

test.each([
  [
    'an address that may not be called',
    async () => Promise.reject(new Problem('invalid', 'not public')),
    'not public',
  ],
  ['a receiver that is gone', async () => new Response(null, { status: 410 }), 'answered 410'],
])('when it is %s, then it is not called again', async (_what, fetch, error) => {
  await using box = await freshOutbox({ fetch });
  await using outbox = box.open();
  const { id } = await box.db.transaction((tx) => outbox.add(tx, message()));
  await expect.poll(() => state(box.db, id)).toMatchObject({ state: 'dead', attempts: 1, error });
});

test('when a destination is gone, then nobody is called for it', async () => {
  await using box = await freshOutbox({ fetch: async () => Promise.reject(new Error('called')) });
  await using outbox = box.open({ locate: async () => undefined });
  const { id } = await box.db.transaction((tx) => outbox.add(tx, message()));
  await expect
    .poll(() => state(box.db, id))
    .toMatchObject({ state: 'dead', error: 'nobody wants it any more' });
});

test('when a killed process had begun a message, then the next one sends it', async () => {
  const sent: string[] = [];
  await using box = await freshOutbox({
    fetch: async ({ headers }) => {
      sent.push(headers.get('webhook-id') ?? '');
      return new Response();
    },
  });
  const store = new OutboxStore(box.db, 'own');
  const { url: _, ...own } = { ...message(), receiver: 'receiver.test' };
  const added = await box.db.transaction((tx) => store.insert(tx, [own]));
  const id = added[0]?.id ?? '';
  const claim = '00000000-0000-4000-8000-000000000000';
  const killed = await store.claim(id, { claim, for_s: 60 });
  expect(await store.claim(id, { claim, for_s: 60 })).toBeUndefined();
  await using _outbox = box.open();
  expect(await store.listDue(10)).toEqual({ due: [], has_more: false });
  await setDue(box.db);
  await expect.poll(() => state(box.db, id)).toMatchObject({ state: 'delivered', attempts: 2 });
  if (killed !== undefined) await store.record(killed, { state: 'dead', error: 'late' });
  expect(await state(box.db, id)).toMatchObject({ state: 'delivered' });
  expect(sent).toEqual([id]);
});

test('when the outbox is closed while a message is under way, then it counts as not sent', async () => {
  const called = Promise.withResolvers<void>();
  await using box = await freshOutbox({
    fetch: async ({ signal }) => {
      called.resolve();
      return untilAborted(signal);
    },
  });
  const outbox = box.open();
  const { id } = await box.db.transaction((tx) => outbox.add(tx, message()));
  await called.promise;
  await outbox[Symbol.asyncDispose]();
  expect(await state(box.db, id)).toMatchObject({ state: 'waiting', error: null });
});

test('when two outboxes share one table, then they send each message once', async () => {
  const sent: string[] = [];
  await using box = await freshOutbox({
    fetch: async ({ headers }) => {
      sent.push(headers.get('webhook-id') ?? '');
      return new Response();
    },
  });
  await using first = box.open();
  await using _second = box.open();
  const ids = await box.db.transaction(async (tx) => {
    const made: string[] = [];
    for (let index = 0; index < 50; index += 1) made.push((await first.add(tx, message(`${index}`))).id);
    return made;
  });
  const waiting = () =>
    box.db.one<{ count: number }>(`select count(*) from own.outbox_messages where state = 'waiting'`);
  await expect.poll(waiting).toEqual({ count: 0 });
  expect(sent.sort()).toEqual(ids.sort());
});

describe('retries', () => {
  const failing = (attempts: number, random: number) =>
    judgeAttempt({ kind: 'answered', status: 503, retry_after_s: undefined }, { attempts, random });

  test('when tries fail, then they come later each time, up to a day apart, and end', () => {
    const delays = Array.from({ length: 9 }, (_, index) => failing(index + 1, 0.5)).map((verdict) =>
      verdict.state === 'waiting' ? Math.round(verdict.after_s) : undefined,
    );
    expect(delays).toEqual([5, 20, 80, 320, 1280, 5120, 20_480, 81_920, 86_400]);
    expect(failing(10, 0.5)).toEqual({ state: 'dead', error: 'answered 503' });
    expect([failing(1, 0), failing(1, 1)]).toMatchObject([{ after_s: 4 }, { after_s: expect.closeTo(6) }]);
  });

  test.each([
    ['7', 7],
    ['Thu, 01 Jan 1970 00:01:40 GMT', 100],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
    [null, undefined],
  ])('when Retry-After is %j, then the wait is %j seconds', (header, seconds) =>
    expect(parseRetryAfter(header, 0)).toBe(seconds),
  );
});

test('when a message is signed, then the signature is that of the specification’s library', () => {
  const one = secret();
  const at = new Date('2026-01-01T00:00:00Z');
  const { 'webhook-signature': signature } = signWebhook(
    { id: 'msg_1', timestamp_s: at.getTime() / 1000, body: '{"a":"ü"}' },
    [one],
  );
  expect(signature).toBe(new Webhook(one).sign('msg_1', at, '{"a":"ü"}'));
});

test('when a schema is none of ours, then it is refused', async () => {
  await using fresh = await freshDatabase();
  expect(() => new OutboxStore(fresh.db, 'a"; drop')).toThrow(RangeError);
});

describe('turns', () => {
  /** The given number of messages of a workspace to a host. */
  const many = (count: number, workspace_id: string, host: string) =>
    Array.from({ length: count }, (_, at) => ({
      workspace_id,
      url: `http://${host}/hook`,
      destination: `${workspace_id} ${host} ${at}`,
      body: '{}',
    }));
  const located = async (destination: string) => {
    const [, host = ''] = destination.split(' ');
    return { url: `http://${host}/hook`, secrets: [], headers: { 'x-from': destination } };
  };
  /** Kept alive: a collected request does not pass on that it is aborted. */
  const unanswered: Request[] = [];
  const neverAnswer = async (request: Request) => {
    unanswered.push(request);
    return untilAborted(request.signal);
  };

  test('when a receiver does not answer, then other workspaces and receivers are sent to meanwhile', async () => {
    const under_way: string[] = [];
    await using box = await freshOutbox({
      fetch: async (request) => {
        const from = request.headers.get('x-from') ?? '';
        under_way.push(from);
        if (from.includes('slow')) return neverAnswer(request);
        return new Response();
      },
      locate: located,
      senders: 8,
    });
    await using outbox = box.open({ resync_ms: 3_600_000 });
    // The slow messages were there before, and more of them than are listed at once.
    const flood = [...many(300, 'greedy', 'slow.test'), ...many(300, 'greedy', 'slow-too.test')];
    const added = await box.db.transaction((tx) => outbox.addAll(tx, flood));
    for (const one of added) outbox.wake(one);
    const others = [...many(3, 'greedy', 'well.test'), ...many(3, 'w', 'well.test')];
    for (const one of await box.db.transaction((tx) => outbox.addAll(tx, others))) outbox.wake(one);
    const left = () =>
      box.db.one<{ count: number }>(
        `select count(*) from own.outbox_messages where state = 'waiting' and receiver = 'well.test'`,
      );
    // One slow receiver leaves two of the workspace's four senders, and two leave none.
    await expect.poll(left).toEqual({ count: 3 });
    const slow = under_way.filter((from) => from.includes('slow'));
    expect([slow.length, new Set(slow.map((from) => from.split(' ')[1])).size]).toEqual([4, 2]);
    expect(under_way.filter((from) => from.startsWith('w '))).toHaveLength(3);
  });

  test('when one receiver is slow, then the other receivers of its workspace are not', async () => {
    const done: string[] = [];
    await using box = await freshOutbox({
      fetch: async (request) => {
        const from = request.headers.get('x-from') ?? '';
        if (from.includes('slow')) return neverAnswer(request);
        done.push(from);
        return new Response();
      },
      locate: located,
      senders: 8,
    });
    await using outbox = box.open();
    await box.db.transaction((tx) =>
      outbox.addAll(tx, [...many(300, 'greedy', 'slow.test'), ...many(30, 'greedy', 'well.test')]),
    );
    await expect.poll(() => done.length).toBe(30);
  });

  test('when much of one owner waits, then what is due is still listed in turns', async () => {
    await using box = await freshOutbox({ fetch: async () => new Response() });
    const store = new OutboxStore(box.db, 'own');
    const sent = [
      ...many(500, 'greedy', 'a.test'),
      ...many(500, 'greedy', 'b.test'),
      ...many(2, 'w', 'a.test'),
      ...many(1, 'v', 'c.test'),
      ...many(5, 'later', 'a.test'),
    ].map(({ url, ...one }) => ({ ...one, receiver: new URL(url).host }));
    await box.db.transaction((tx) => store.insert(tx, sent));
    await box.db.run(
      `update own.outbox_messages set due_at = now() + interval '1 h' where workspace_id = 'later'`,
    );
    const { due, has_more } = await store.listDue(9);
    const listed = due.map(({ workspace_id, receiver }) => `${workspace_id} ${receiver}`);
    expect(listed.slice(0, 3).toSorted()).toEqual(['greedy a.test', 'v c.test', 'w a.test']);
    expect(listed.slice(3, 5).toSorted()).toEqual(['greedy b.test', 'w a.test']);
    expect([listed.length, has_more]).toEqual([5, true]);
  });

  test('when a receiver answers byte by byte, then it has its whole time, and no more', async () => {
    const ended = Promise.withResolvers<void>();
    await using receiver = await listen(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' });
        const trickle = setInterval(() => response.write('.'), 5);
        response.once('close', () => (clearInterval(trickle), ended.resolve()));
      },
      { host: '127.0.0.1', port: 0 },
      { drain_ms: 0 },
    );
    const url = `http://127.0.0.1:${receiver.port}/`;
    await using box = await freshOutbox({
      fetch: createGuardedFetch({ allowed_hosts: [`127.0.0.1:${receiver.port}`], timeout_ms: 200 }),
      locate: async () => ({ url, secrets: [] }),
    });
    await using outbox = box.open();
    const { id } = await box.db.transaction((tx) => outbox.add(tx, { ...message(), url }));
    const error = `127.0.0.1:${receiver.port} did not answer within 0.2 s.`;
    await expect.poll(() => state(box.db, id)).toMatchObject({ state: 'waiting', attempts: 1, error });
    await ended.promise;
  });
});
