import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { Event } from '@roadstead/contracts/control-plane';
import { uuidv7 } from '@roadstead/kit';
import { OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/fixture.ts';
import { EventReader } from '../testing/event-reader.ts';
import { insertEvent } from './event-store.ts';

const fixture = useFixturePerTest(startFixture);

const happen = (kind: string, more: { workspace_id?: string; deployment_id?: string; to?: string } = {}) =>
  fixture().db.transaction((tx) =>
    insertEvent(tx, { workspace_id: WORKSPACE, actor: 'a test', kind, ...more }),
  );

const list = async (query: object = {}) => fixture().client().listEvents({ query });
const kindsOf = (events: readonly Event[]) => events.map(({ kind }) => kind);
const follow = (query = '', headers: Record<string, string> = {}, workspace_id = WORKSPACE) =>
  EventReader.open<Event>((init) => fixture().send(`/v2/events/stream${query}`, init, workspace_id), headers);

test('when events are listed, then it is both ways from a cursor, and by filters', async () => {
  const deployment_id = uuidv7();
  for (let index = 0; index < 5; index += 1) await happen(`a.k${'abcde'[index]}`);
  await happen('b.first', { deployment_id });
  await happen('bb.other');
  await happen('a.foreign', { workspace_id: OTHER_WORKSPACE });

  const down: Event[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await list({ page_size: 3, ...(cursor === undefined ? {} : { cursor }) });
    down.push(...page.items);
    cursor = page.next_cursor;
  }
  expect(kindsOf(down)).toEqual(['bb.other', 'b.first', 'a.ke', 'a.kd', 'a.kc', 'a.kb', 'a.ka']);

  const first = await list({ order: 'asc', page_size: 4 });
  const rest = await list({ order: 'asc', page_size: 4, cursor: first.next_cursor ?? '' });
  expect(kindsOf([...first.items, ...rest.items])).toEqual(kindsOf(down).reverse());
  const cursor = rest.next_cursor ?? '';
  expect((await list({ order: 'asc', cursor })).items).toEqual([]);
  await happen('c.later');
  expect(kindsOf((await list({ order: 'asc', cursor })).items)).toEqual(['c.later']);

  expect(kindsOf((await list({ kind: 'b' })).items)).toEqual(['b.first']);
  expect(kindsOf((await list({ kind: 'a.kc' })).items)).toEqual(['a.kc']);
  expect(kindsOf((await list({ deployment_id })).items)).toEqual(['b.first']);
  const { at } = (await list({ kind: 'c' })).items[0] as Event;
  expect(kindsOf((await list({ since: at })).items)).toEqual(['c.later']);
  expect(kindsOf((await list({ until: at })).items)).toEqual(kindsOf(down));
  for (const query of ['kind=%25', 'kind=a.', 'since=now', 'order=up', 'cursor=e30'])
    expect((await fixture().send(`/v2/events?${query}`)).status).toBeOneOf([400, 422]);
});

test('when the switches of a deployment are listed, then only what began to serve is there', async () => {
  const deployment_id = uuidv7();
  for (const to of ['BUILDING', 'DEPLOYED', 'DEPLOYED'])
    await happen('revision.status', { deployment_id, to });
  await happen('revision.status', { to: 'DEPLOYED' });
  const { items } = await list({ deployment_id, kind: 'revision.status', to: 'DEPLOYED' });
  expect(items.map(({ to }) => to)).toEqual(['DEPLOYED', 'DEPLOYED']);
});

test('when an event commits late, then it is neither passed over nor told twice', async () => {
  await using reader = await follow();
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const slow = fixture().db.transaction(async (tx) => {
    await insertEvent(tx, { workspace_id: WORKSPACE, actor: 'a test', kind: 'slow.first' });
    begun.resolve();
    await end.promise;
  });
  await begun.promise;
  await happen('fast.second');
  expect((await reader.next()).kind).toBe('fast.second');
  const { items, next_cursor } = await list({ order: 'asc' });
  expect(kindsOf(items)).toEqual(['fast.second']);
  end.resolve();
  await slow;
  expect((await reader.next()).kind).toBe('slow.first');
  expect(kindsOf((await list({ order: 'asc', cursor: next_cursor ?? '' })).items)).toEqual(['slow.first']);
});

test('when many write at two instances, then each reader gets every event once, in one order', async () => {
  const second = await fixture().startAnother();
  const wanted = 300;
  const readers = [await follow(), await follow('?kind=of'), await follow()];
  const sendToSecond = async (request: Request) =>
    second.served.fetch(request, await fixture().identity.edge.inward(request.headers, 'control-plane'));
  readers.push(
    await EventReader.open<Event>((init) => {
      const headers = { ...(init.headers as object), 'x-api-key': `rs_admin_${WORKSPACE}` };
      return sendToSecond(new Request('http://roadstead.test/v2/events/stream', { ...init, headers }));
    }),
  );
  await using _foreign = await follow('', {}, OTHER_WORKSPACE);
  const writers = Array.from({ length: 6 }, async (_, writer) => {
    for (let index = 0; index < wanted / 6; index += 1)
      await fixture().db.transaction(async (tx) => {
        await insertEvent(tx, {
          workspace_id: WORKSPACE,
          actor: 'a test',
          kind: `of.writer_${'abcdef'[writer]}`,
        });
        if (index % 7 === writer) await tx.run('select pg_sleep(0.02)');
      });
  });
  const got = readers.map(async (reader) => {
    const ids: number[] = [];
    while (ids.length < wanted) ids.push(Number((await reader.next()).id));
    return ids;
  });
  await Promise.all(writers);
  const [first, ...others] = await Promise.all(got);
  expect(first).toEqual([...new Set(first)].toSorted((a, b) => a - b));
  for (const other of others) expect(other).toEqual(first);
  for (const reader of readers) await reader[Symbol.asyncDispose]();
});

test('when a stream names its last event or a time, then it begins there', async () => {
  const began = new Date().toISOString();
  for (const kind of ['n.one', 'n.two', 'n.three']) await happen(kind);
  const { items } = await list({ order: 'asc' });
  await using from = await follow('', { 'last-event-id': items[0]?.id ?? '' });
  expect([(await from.next()).kind, (await from.next()).kind]).toEqual(['n.two', 'n.three']);
  await using since = await follow(`?since=${began}&kind=n.three`);
  expect((await since.next()).kind).toBe('n.three');
  await happen('n.four');
  expect((await from.next()).kind).toBe('n.four');
  expect((await fixture().send('/v2/events/stream', { headers: { 'last-event-id': 'x' } })).status).toBe(400);
});

test('when a reader is slower than the events, then it loses none, and holds only some of them', async () => {
  await using reader = await follow();
  const wanted = 1000;
  await fixture().db.transaction(async (tx) => {
    for (let index = 0; index < wanted; index += 1)
      await insertEvent(tx, { workspace_id: WORKSPACE, actor: 'a test', kind: 'many.more' });
  });
  // Another reader of the same instance has received all of them by then, while this one has not asked yet.
  await using quick = await follow('', { 'last-event-id': '0' });
  for (let index = 0; index < wanted; index += 1) await quick.next();
  const ids: string[] = [];
  while (ids.length < wanted) ids.push((await reader.next()).id);
  expect(new Set(ids).size).toBe(wanted);
});

test('when the service ends, then its streams end', async () => {
  const reader = await follow();
  fixture().service.endStreams();
  await expect(reader.next()).rejects.toThrow('ended');
});
