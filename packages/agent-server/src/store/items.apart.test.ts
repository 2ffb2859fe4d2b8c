import { beforeEach, expect, test } from 'vitest';
import type { StoreOperation } from '@roadstead/contracts/host';
import { migrate, openDatabase } from '@roadstead/postgres';
import { InMemoryStore } from '@langchain/langgraph-checkpoint';
import { freshDatabase, longestHold, MOST_HELD_MS, useFixturePerTest } from '@roadstead/testing';
import { ENGINE_SCHEMA, engineMigrations } from '../database/engine-migrations.ts';
import type { StoreSettings } from '@roadstead/contracts/langgraph-json';
import { Items, withoutIndex } from './items.ts';

let items: Items;
const fresh = useFixturePerTest(freshDatabase);
const db = useFixturePerTest(() =>
  openDatabase({ url: fresh().url, max: 1, name: 'test', schema: ENGINE_SCHEMA }),
);
beforeEach(async () => {
  await migrate(db(), { schema: ENGINE_SCHEMA, migrations: engineMigrations });
  items = withoutIndex(db());
});

type Search = StoreOperation & { op: 'search' };
type List = StoreOperation & { op: 'list_namespaces' };
interface FoundItem {
  readonly namespace: readonly string[];
  readonly key: string;
  readonly value: unknown;
}
const one = async (operation: StoreOperation) => (await items.run([operation]))[0];
const put = (namespace: readonly string[], key: string, value: Record<string, unknown> | null) =>
  one({ op: 'put', namespace, key, value });
const search = async (more: Partial<Search> = {}) =>
  (await one({ op: 'search', namespace_prefix: [], limit: 10, offset: 0, ...more })) as FoundItem[];
const list = (more: Partial<List> = {}) => one({ op: 'list_namespaces', limit: 10, offset: 0, ...more });
const keys = (found: readonly FoundItem[]) => found.map(({ key }) => key).toSorted();

test('when a namespace is searched, then the search stays below it for labels of any characters', async () => {
  const namespaces = [['a'], ['a', 'b'], ['ab'], ['a"'], ['a\\'], ['b', 'a'], ['a,'], ['ä'], ['%_']];
  for (const namespace of namespaces) await put(namespace, namespace.join('/'), { n: 1 });
  expect(keys(await search({ namespace_prefix: ['a'] }))).toEqual(['a', 'a/b']);
  expect(keys(await search({ namespace_prefix: ['a', 'b'] }))).toEqual(['a/b']);
  for (const only of ['a"', 'a\\', 'a,', 'ä', '%_'])
    expect(keys(await search({ namespace_prefix: [only] }))).toEqual([only]);
  expect(await search()).toHaveLength(9);
  expect(((await list()) as string[][]).map((labels) => labels.join('/'))).toEqual(
    expect.arrayContaining(namespaces.map((labels) => labels.join('/'))),
  );
});

test('when a search has filters, then they choose as the stock store’s do', async () => {
  const stock = new InMemoryStore();
  const values: Record<string, Record<string, unknown>> = {
    low: { n: 1, s: 'a', b: true },
    middle: { n: 5, s: 'b', b: false, t: ['x'] },
    high: { n: 10, s: '7', b: null },
    none: { other: 1 },
  };
  for (const [key, value] of Object.entries(values)) {
    await put(['f'], key, value);
    await stock.put(['f'], key, value);
  }
  const filters: Record<string, unknown>[] = [
    {},
    { n: 5 },
    { n: 5, s: 'b' },
    { n: 5, s: 'a' },
    { b: null },
    { b: false },
    { n: '5' },
    { n: { $gt: 1 } },
    { n: { $gte: 1, $lt: 10 } },
    { n: { $lte: 5 }, b: true },
    { n: { $ne: 5 } },
    { n: { $in: [1, 10] } },
    { n: { $nin: [1, 10] } },
    { s: { $gt: 5 } },
    { n: { $near: 5 } },
    { missing: 1 },
  ];
  for (const filter of filters) {
    const theirs = await stock.search(['f'], { filter });
    expect([filter, keys(await search({ filter }))]).toEqual([filter, keys(theirs as FoundItem[])]);
  }
  expect(keys(await search({ query: 'something like this', filter: { n: 5 } }))).toEqual(['middle']);
});

test('when a search has pages, then they follow each other, compared here or in the database', async () => {
  const operations = Array.from({ length: 1000 }, (_, n): StoreOperation => ({
    op: 'put',
    namespace: ['p'],
    key: String(n).padStart(4, '0'),
    value: { n, even: n % 2 === 0 },
  }));
  await items.run(operations);
  for (const filter of [{ even: true }, { n: { $gte: 500 } }]) {
    const pages = [0, 200, 400].map((offset) => search({ filter, limit: 200, offset }));
    const found = (await Promise.all(pages)).map((page) => page.map(({ key }) => key));
    expect(found.map((page) => page.length)).toEqual([200, 200, 100]);
    expect(new Set(found.flat()).size).toBe(500);
  }
  expect(await search({ filter: { n: { $gte: 0 } }, limit: 3, offset: 998 })).toHaveLength(2);
  expect(await search({ filter: { n: { $gte: 0 } }, limit: 0 })).toEqual([]);
});

test('when namespaces are listed, then prefix, suffix and depth choose, each once, in pages', async () => {
  for (const namespace of [['a', 'x', 'c'], ['a', 'y', 'c'], ['b', 'x', 'd'], ['a'], ['a', 'x', 'c']])
    await put(namespace, 'k', { n: 1 });
  const match = (match_type: 'prefix' | 'suffix', ...path: string[]) => ({
    match_conditions: [{ match_type, path }],
  });
  const rows: [Partial<List>, string[]][] = [
    [{}, ['a', 'a/x/c', 'a/y/c', 'b/x/d']],
    [{ limit: 2, offset: 1 }, ['a/x/c', 'a/y/c']],
    [match('prefix', 'a'), ['a', 'a/x/c', 'a/y/c']],
    [match('prefix', '*', 'x'), ['a/x/c', 'b/x/d']],
    [match('suffix', 'c'), ['a/x/c', 'a/y/c']],
    [match('suffix', 'x', '*'), ['a/x/c', 'b/x/d']],
    [{ max_depth: 1 }, ['a', 'b']],
    [{ ...match('prefix', 'a'), max_depth: 2 }, ['a', 'a/x', 'a/y']],
    [match('prefix', 'nobody'), []],
  ];
  for (const [query, expected] of rows) {
    const found = (await list(query)) as string[][];
    expect([query, found.map((labels) => labels.join('/'))]).toEqual([query, expected]);
  }
});

test('when namespaces are listed, then label by label, each before those below it', async () => {
  const sorted = [
    ['a'],
    ['a', 'b'],
    ['a', 'c'],
    ['a '],
    ['a!', 'b'],
    ['a"'],
    ['a]'],
    ['ab'],
    ['ä'],
    ['\ufffd'],
    ['😀'],
  ];
  for (const namespace of sorted.toReversed()) await put(namespace, 'k', { n: 1 });
  expect(await list({ limit: 20 })).toEqual(sorted);
  expect(await list({ limit: 2, offset: 1 })).toEqual(sorted.slice(1, 3));
});

test('when a value has NUL or half a character, then it is left out; in a name it is refused', async () => {
  await put(['n'], 'k', { text: 'a\0b', half: '\ud800', ['na\0me']: 1 });
  expect(await one({ op: 'get', namespace: ['n'], key: 'k' })).toMatchObject({
    value: { text: 'ab', half: '\ufffd', name: 1 },
  });
  expect(await search({ filter: { text: 'a\0b' } })).toHaveLength(1);
  for (const name of ['a\0', '\ud800']) {
    await expect(put(['n'], name, {})).rejects.toThrow('without NUL');
    await expect(put([name], 'k', {})).rejects.toThrow('without NUL');
    expect(await search({ namespace_prefix: [name] })).toEqual([]);
  }
});

test.each([[-1], [10_001], [null], [1.5]])(
  'when the limit is %j, then it is refused in words',
  async (limit) => {
    await expect(search({ limit: limit as number })).rejects.toThrow('at a time');
    await expect(list({ limit: limit as number })).rejects.toThrow('at a time');
  },
);

/** Eight numbers that depend on the letters of a text. */
function embed(text: string): number[] {
  const vector = Array.from({ length: 8 }, () => 0);
  for (let at = 0; at < text.length; at += 1) {
    const place = text.charCodeAt(at) % 8;
    vector[place] = (vector[place] ?? 0) + 1 + (at % 3);
  }
  return vector;
}

function withIndex({ fields = ['$'], ttl = null }: { fields?: string[]; ttl?: StoreSettings['ttl'] } = {}) {
  const asked: string[] = [];
  let expiries = 0;
  const settings: StoreSettings = { index: { dims: 8, embed: './embed.ts:embed', fields }, ttl };
  items = new Items({
    db: db(),
    searches: db(),
    settings: () => settings,
    ask: async (method, params) => {
      expect(method).toBe('embed');
      const { texts } = params as { texts: string[] };
      asked.push(...texts);
      return { vectors: texts.map(embed) } as never;
    },
    onExpiry: () => (expiries += 1),
  });
  return { asked, expiries: () => expiries };
}

type ScoredItem = FoundItem & { readonly score?: number };

test('when items are searched by meaning, then they come as in the stock store, nearest first', async () => {
  withIndex({ fields: ['text', 'tags[*]'] });
  const stock = new InMemoryStore({
    index: {
      dims: 8,
      fields: ['text', 'tags[*]'],
      embeddings: {
        embedDocuments: async (texts: string[]) => texts.map(embed),
        embedQuery: async (text: string) => embed(text),
      } as never,
    },
  });
  const words = ['harbour', 'lighthouse', 'tide', 'keel', 'anchor', 'quay', 'mast', 'buoy'];
  for (const [n, word] of words.entries()) {
    const value = { text: `${word} number ${n}`, tags: [word, words[(n + 3) % 8]], even: n % 2 === 0, n };
    for (const store of [
      stock,
      { put: (names: string[], key: string, one: object) => put(names, key, { ...one }) },
    ])
      await store.put(['words', String(n % 2)], word, value);
  }
  for (const [query, filter] of [
    ['lighthouse', {}],
    ['tide', { even: true }],
    ['anchor', { n: { $gte: 3 } }],
    ['keel', { even: false, n: { $lt: 6 } }],
  ] as const) {
    const theirs = (await stock.search(['words'], { query, filter, limit: 5 })) as unknown as ScoredItem[];
    const ours = (await search({ namespace_prefix: ['words'], query, filter, limit: 5 })) as ScoredItem[];
    expect(ours.map(({ key }) => key)).toEqual(theirs.map(({ key }) => key));
    for (const [at, { score }] of ours.entries()) expect(score).toBeCloseTo(theirs[at]?.score ?? 0, 5);
  }
  const pages = [0, 3, 6].map(async (offset) => search({ query: 'mast', limit: 3, offset }));
  expect((await Promise.all(pages)).flat()).toHaveLength(8);
});

test('when an item is not to be found by meaning, then it is not; a new value has a new meaning', async () => {
  const { asked } = withIndex({ fields: ['text'] });
  await one({ op: 'put', namespace: ['m'], key: 'hidden', value: { text: 'abc' }, index: false });
  await one({
    op: 'put',
    namespace: ['m'],
    key: 'other',
    value: { text: 'x', note: 'abc' },
    index: ['note'],
  });
  await put(['m'], 'changed', { text: 'zzz' });
  await put(['m'], 'changed', { text: 'abc' });
  expect(asked).toEqual(['abc', 'zzz', 'abc']);
  const found = (await search({ query: 'abc' })) as ScoredItem[];
  expect(found.map(({ key, score }) => [key, score?.toFixed(3)])).toEqual([
    ['changed', '1.000'],
    ['other', '1.000'],
  ]);
  await put(['m'], 'changed', null);
  expect(keys(await search({ query: 'abc' }))).toEqual(['other']);
  expect((await db().query('select from store_vectors')).length).toBe(1);
});

test('when a vector has other dimensions, then it is refused in words, and nothing is stored', async () => {
  const { index } = { index: { dims: 3, embed: 'x:y', fields: ['$'] } };
  items = new Items({
    db: db(),
    searches: db(),
    settings: () => ({ index, ttl: null }),
    ask: async () => ({ vectors: [[1, 2]] }) as never,
    onExpiry: () => undefined,
  });
  await expect(put(['d'], 'k', { a: 1 })).rejects.toThrow('3 dimensions');
  expect(await search()).toEqual([]);
});

test('when an item expires, then it is there no more; reading prolongs it unless told otherwise', async () => {
  const { expiries } = withIndex({
    ttl: { default_ttl: 60, refresh_on_read: true, sweep_interval_minutes: null },
  });
  const age = () => db().run(`update store set expires_at = expires_at - interval '50 minutes'`);
  const left = async (key: string) =>
    (
      await db().one<{ left: number }>(
        `select round(extract(epoch from expires_at - now()) / 60)::int as left from store where key = $1`,
        [key],
      )
    ).left;
  await put(['t'], 'usual', { a: 1 });
  await one({ op: 'put', namespace: ['t'], key: 'long', value: { a: 1 }, ttl: 120 });
  await one({ op: 'put', namespace: ['t'], key: 'always', value: { a: 1 }, ttl: null });
  expect(expiries()).toBe(2);
  expect([await left('usual'), await left('long'), await left('always')]).toEqual([60, 120, null]);
  await age();
  await one({ op: 'get', namespace: ['t'], key: 'usual', refresh_ttl: false });
  expect(await left('usual')).toBe(10);
  await one({ op: 'get', namespace: ['t'], key: 'usual' });
  expect(await left('usual')).toBe(60);
  await age();
  await search({ namespace_prefix: ['t'] });
  expect([await left('usual'), await left('long')]).toEqual([60, 120]);
  await age();
  await age();
  expect(keys(await search({ refresh_ttl: false }))).toEqual(['always', 'long']);
  expect(await one({ op: 'get', namespace: ['t'], key: 'usual' })).toBeNull();
  expect(keys(await search({ query: 'a', refresh_ttl: false }))).toEqual(['always', 'long']);
  await put(['t'], 'usual', { a: 2 });
  expect(await one({ op: 'get', namespace: ['t'], key: 'usual' })).toMatchObject({ value: { a: 2 } });
});

test('when a hundred thousand items are compared, then it is exact and holds nobody up', async () => {
  withIndex();
  await db().run(
    `insert into store (prefix, key, value) select '["big"]', n::text, jsonb_build_object('n', n) from generate_series(1, 100000) n`,
  );
  // One of them points where the query does, the others anywhere else.
  const vectorOf = (numbers: readonly number[]) => Buffer.from(Float32Array.from(numbers).buffer);
  const unit = (numbers: readonly number[]) => {
    const length = Math.hypot(...numbers);
    return numbers.map((one) => one / length);
  };
  const wanted = unit(embed('a needle'));
  const away = Array.from({ length: 97 }, (_, n) =>
    vectorOf(unit(Array.from({ length: 8 }, (_one, at) => Math.sin(n * 8 + at + 1)))),
  );
  await db().run(
    `insert into store_vectors (prefix, key, path, vector)
     select '["big"]', n::text, '$', case when n = 77777 then $1::bytea else ($2::bytea[])[n % 97 + 1] end from generate_series(1, 100000) n`,
    [vectorOf(wanted), away],
  );
  await db().run('analyze store; analyze store_vectors');
  let found: ScoredItem[] = [];
  const hold = await longestHold(async () => {
    found = await search({ namespace_prefix: ['big'], query: 'a needle', limit: 3 });
  });
  expect(found.map(({ key, score }) => [key, score?.toFixed(4)])[0]).toEqual(['77777', '1.0000']);
  expect(found).toHaveLength(3);
  expect(hold).toBeLessThan(MOST_HELD_MS);
});

test('when something looks at many items, then it leaves the connections of runs alone', async () => {
  const gone = { ...db(), transaction: () => Promise.reject(new Error('a connection of runs')) };
  const options = { settings: () => null, ask: () => Promise.reject(new Error('asked')) };
  const apart = new Items({ db: gone, searches: db(), onExpiry: () => undefined, ...options });
  const page = { limit: 10, offset: 0 };
  expect(await apart.run([{ op: 'search', namespace_prefix: [], ...page }])).toEqual([[]]);
  expect(await apart.run([{ op: 'list_namespaces', ...page }])).toEqual([[]]);
  const get = { op: 'get', namespace: ['a'], key: 'k' } as const;
  await expect(apart.run([get])).rejects.toThrow('a connection of runs');
});

test('when there is something to embed, then the embedder is waited for before the transaction', async () => {
  const settings = { index: { dims: 2, embed: 'x', fields: ['$'] }, ttl: null } as unknown as StoreSettings;
  const embedding = new Items({
    db: db(),
    searches: db(),
    settings: () => settings,
    ask: async () => {
      // There is one connection: in a transaction this would wait for ever.
      await db().query('select 1');
      return { vectors: [[1, 0]] };
    },
    onExpiry: () => undefined,
  });
  let asides = 0;
  const aside = <T>(work: () => Promise<T>): Promise<T> => {
    asides += 1;
    return work();
  };
  await embedding.run([{ op: 'put', namespace: ['a'], key: 'k', value: { text: 'hello' } }], { aside });
  expect(asides).toBe(1);
  const get: StoreOperation = { op: 'get', namespace: ['a'], key: 'k' };
  expect(await embedding.run([get], { aside })).toMatchObject([{ value: { text: 'hello' } }]);
  expect(asides).toBe(1);
});
