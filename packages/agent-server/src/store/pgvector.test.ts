import fc from 'fast-check';
import { useFixture } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { createLog } from '@roadstead/kit';
import { type Database, openDatabase, withDatabaseName } from '@roadstead/postgres';
import { startPgvectorServer } from '../testing/pgvector.ts';
import { openConnections } from '../connections.ts';
import { ENGINE_SCHEMA } from '../database/engine-migrations.ts';
import { prefixOf } from './item-key.ts';
import { upsertItem } from './item-store.ts';
import { Items } from './items.ts';
import type { Pgvector } from './pgvector.ts';
import { packVector } from './vector-rules.ts';
import { findNearest, type Near, type NearestQuery, replaceVectors } from './vector-store.ts';

/** The search by meaning in a database that has pgvector: it answers as the one that compares vectors itself. */

const opened = useFixture(startPgvectorServer);
beforeEach(({ skip }) => {
  const server = opened();
  if (typeof server === 'string') skip(server);
});

let count = 0;
async function newDatabase(): Promise<string> {
  const server = opened();
  if (typeof server === 'string') throw new Error(server);
  await using admin = openDatabase({ url: server.url, max: 1, name: 'test' });
  await admin.run(`create database store_${(count += 1)}`);
  return withDatabaseName(server.url, `store_${count}`);
}

const open = (database_url: string) =>
  openConnections({ deployment_id: 'one', database_url, log: createLog({ level: 'error' }) });

interface Item {
  readonly namespace: readonly string[];
  readonly key: string;
  readonly value: object;
  readonly ttl: number | null;
  readonly vectors: readonly (readonly number[])[];
}

async function write(db: Database, { item, pgvector }: { item: Item; pgvector?: Pgvector }): Promise<void> {
  const { namespace, key, vectors } = item;
  await db.transaction(async (tx) => {
    await upsertItem(tx, item);
    await replaceVectors(tx, {
      prefix: prefixOf(namespace),
      key,
      vectors: vectors.map((one, at) => ({ path: `p${at}`, vector: packVector(one) })),
      pgvector: pgvector?.schema,
    });
  });
}

const real = fc.oneof(
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.constantFrom(0, 1, -1, 1e-42, 1e30, 1e-300),
);
const vector = (dims: number) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.array(real, { minLength: dims, maxLength: dims }) },
    fc.constant(Array.from({ length: dims }, () => 0)),
  );
const namespace = fc.constantFrom(['a'], ['a', 'b'], ['ab'], ['ä"']);
const itemOf = fc.record({
  namespace,
  key: fc.constantFrom('k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't'),
  value: fc.record({ n: fc.integer({ min: 0, max: 2 }), b: fc.boolean() }),
  ttl: fc.constantFrom(null, null, 60, -60),
  vectors: fc.array(fc.oneof({ weight: 6, arbitrary: vector(5) }, vector(3)), { maxLength: 3 }),
});
const questionOf = fc.record({
  namespace_prefix: fc.oneof(namespace, fc.constant([])),
  filter: fc.constantFrom({}, {}, { n: 1 }, { n: 0, b: true }, { n: null }),
  limit: fc.integer({ min: 0, max: 12 }),
  offset: fc.integer({ min: 0, max: 4 }),
  wanted: vector(5).map(packVector),
});

/** The same scores in the same places, and each item with the score that it has the other way. */
async function expectAgreement(
  db: Database,
  { pgvector, query }: { pgvector: Pgvector; query: NearestQuery },
): Promise<void> {
  const whole = { ...query, limit: 100, offset: 0 };
  const [ours, all, theirs] = await db.transaction(async (tx) => [
    await findNearest(tx, query),
    await findNearest(tx, whole),
    await pgvector.findNearest(tx, query),
  ]);
  const name = ({ prefix, key }: Near) => JSON.stringify([prefix, key]);
  const scores = new Map(all.map((near) => [name(near), near.score]));
  expect(theirs).toHaveLength(ours.length);
  expect(new Set(theirs?.map(name)).size).toBe(ours.length);
  for (const [at, near] of (theirs ?? []).entries()) {
    expect(Math.abs(near.score - (ours[at]?.score ?? NaN))).toBeLessThan(1e-5);
    expect(Math.abs(near.score - (scores.get(name(near)) ?? NaN))).toBeLessThan(1e-5);
  }
}

test('when items are written with or without the extension, then both ways find the same', async () => {
  await using opened = await open(await newDatabase());
  const { db, pgvector } = opened;
  if (pgvector === undefined) throw new Error('pgvector is not used');
  const written = fc.record({ item: itemOf, knows: fc.boolean() });
  const property = fc.asyncProperty(
    fc.array(written, { maxLength: 25 }),
    fc.array(questionOf, { minLength: 5, maxLength: 5 }),
    async (items, queries) => {
      await db.run('delete from store');
      for (const { item, knows } of items) await write(db, knows ? { item, pgvector } : { item });
      await pgvector.fill();
      expect(await db.query('select from store_vectors where embedding is null')).toEqual([]);
      for (const query of queries) await expectAgreement(db, { pgvector, query });
    },
  );
  await fc.assert(property, { numRuns: 40 });
});

const some = (count: number, dims = 4): Item[] =>
  Array.from({ length: count }, (_, n) => ({
    namespace: ['some'],
    key: `${n}`,
    value: { n },
    ttl: null,
    vectors: [Array.from({ length: dims }, (_one, at) => Math.sin(n * dims + at))],
  }));
const query = {
  namespace_prefix: [],
  limit: 10,
  offset: 0,
  wanted: packVector([1, 2, 3, 4]),
};

test('when the extension comes, goes and comes again, then nothing is lost', async () => {
  const url = await newDatabase();
  await using admin = openDatabase({ url, max: 1, name: 'test', schema: ENGINE_SCHEMA });
  const role = `owner_${count}`;
  await admin.run(`create role ${role} login; alter database store_${count} owner to ${role}`);
  const own = url.replace('roadstead@', `${role}@`);
  {
    // This role may not create it.
    await using refused = await open(own);
    expect(refused.pgvector).toBeUndefined();
    for (const item of some(250)) await write(refused.db, { item });
    expect(await refused.db.transaction((tx) => findNearest(tx, query))).toHaveLength(10);
  }
  await admin.run('create schema "Else where"; create extension vector with schema "Else where"');
  await admin.run(`grant usage on schema "Else where" to ${role}`);
  for (const _time of ['first', 'again']) {
    await using opened = await open(own);
    const { db, pgvector } = opened;
    if (pgvector === undefined) throw new Error('pgvector is not used');
    await pgvector.fill();
    expect(await db.query('select from store_vectors where embedding is null')).toEqual([]);
    await expectAgreement(db, { pgvector, query });
    // Somebody who doesn't know of it writes: until that is filled in the other way answers.
    const [late] = some(1);
    if (late) await write(db, { item: { ...late, key: 'late' } });
    expect(await db.transaction((tx) => pgvector.findNearest(tx, query))).toBeUndefined();
    await pgvector.fill();
    await expectAgreement(db, { pgvector, query });
    await admin.run('drop extension vector cascade');
    {
      await using without = await open(own);
      expect(without.pgvector).toBeUndefined();
      expect(await without.db.transaction((tx) => findNearest(tx, query))).toHaveLength(10);
    }
    await admin.run('create extension vector with schema "Else where"');
  }
});

test('when the extension cannot hold or compare something, then it is found as without it', async () => {
  await using opened = await open(await newDatabase());
  const { db, pgvector } = opened;
  if (pgvector === undefined) throw new Error('pgvector is not used');
  const [long] = some(1, 16_001);
  if (long) await write(db, { item: long, pgvector });
  const find = (more: object) => db.transaction((tx) => pgvector.findNearest(tx, { ...query, ...more }));
  expect(await find({})).toEqual([]);
  expect(await find({ wanted: packVector(long?.vectors[0] ?? []) })).toBeUndefined();
  expect(await find({ filter: { n: { $gte: 0 } } })).toBeUndefined();
});

test('when an item is put, then the extension compares it', async () => {
  await using opened = await open(await newDatabase());
  const { db, searches, pgvector } = opened;
  const items = new Items({
    db,
    searches,
    pgvector,
    settings: () => ({ index: { dims: 2, embed: 'x:y', fields: ['$'] }, ttl: null }),
    ask: async () => ({ vectors: [[3, 4]] }) as never,
    onExpiry: () => undefined,
  });
  await items.run([{ op: 'put', namespace: ['n'], key: 'k', value: { a: 1 } }]);
  expect(await db.query('select embedding::text from store_vectors')).toEqual([{ embedding: '[0.6,0.8]' }]);
  // Only the extension reads this.
  await db.run(`update store_vectors set embedding = '[0,1]'`);
  const search = { op: 'search', namespace_prefix: ['n'], query: 'a', limit: 10, offset: 0 } as const;
  const [found] = await items.run([search]);
  expect(found).toMatchObject([{ key: 'k', score: expect.closeTo(0.8, 6) }]);
});
