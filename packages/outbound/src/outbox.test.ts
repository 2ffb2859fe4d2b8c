import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Problem } from '@roadstead/kit';
import { freshDatabase, untilAborted } from '@roadstead/testing';
import { OutboxStore } from './outbox-store.ts';
import { judgeAttempt, parseRetryAfter } from './retry-rules.ts';
import { signWebhook } from './webhook-signature.ts';
import { freshOutbox, message, setDue, state } from './testing/fresh-outbox.ts';

const secret = () => `whsec_${randomBytes(24).toString('base64')}`;

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
    .toMatchObject({ state: 'dead', error: 'its destination is gone' });
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

test('when a message takes longer to send than a claim lasts, then it is still claimed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const [called, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using box = await freshOutbox({
    fetch: async () => {
      called.resolve();
      await answered.promise;
      return new Response();
    },
  });
  await using outbox = box.open();
  const { id } = await box.db.transaction((tx) => outbox.add(tx, message()));
  await called.promise;
  const due = async () => (await new OutboxStore(box.db, 'own').listDue(10)).due.length;
  await setDue(box.db);
  expect(await due()).toBe(1);
  vi.advanceTimersByTime(5000);
  await expect.poll(due).toBe(0);
  answered.resolve();
  await expect.poll(() => state(box.db, id)).toMatchObject({ state: 'delivered', attempts: 1 });
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
