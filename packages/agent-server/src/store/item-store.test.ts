import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StoreOperation } from '@roadstead/contracts/host';
import { type Database, migrate, openDatabase } from '@roadstead/kit';
import { InMemoryStore } from '@langchain/langgraph-checkpoint';
import { freshDatabase } from '../../../../test/support/database.ts';
import { ENGINE_SCHEMA, engineMigrations } from '../runs/engine-migrations.ts';
import { runStoreOperations } from './item-store.ts';

let stack: AsyncDisposableStack;
let db: Database;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  const { url } = stack.use(await freshDatabase());
  db = stack.use(openDatabase({ url, max: 1, name: 'test', schema: ENGINE_SCHEMA }));
  await migrate(db, { schema: ENGINE_SCHEMA, migrations: engineMigrations });
});
afterEach(() => stack.disposeAsync());

type Search = StoreOperation & { op: 'search' };
type List = StoreOperation & { op: 'list_namespaces' };
interface Found {
  readonly namespace: readonly string[];
  readonly key: string;
  readonly value: unknown;
}
const one = async (operation: StoreOperation) => (await runStoreOperations(db, [operation]))[0];
const put = (namespace: readonly string[], key: string, value: Record<string, unknown> | null) =>
  one({ op: 'put', namespace, key, value });
const search = async (more: Partial<Search> = {}) =>
  (await one({ op: 'search', namespace_prefix: [], limit: 10, offset: 0, ...more })) as Found[];
const list = (more: Partial<List> = {}) => one({ op: 'list_namespaces', limit: 10, offset: 0, ...more });
const keys = (found: readonly Found[]) => found.map(({ key }) => key).toSorted();

test('a search stays below its namespace, whatever labels hold', async () => {
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

test('filters choose as the stock store’s do', async () => {
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
    expect([filter, keys(await search({ filter }))]).toEqual([filter, keys(theirs as Found[])]);
  }
  expect(keys(await search({ query: 'something like this', filter: { n: 5 } }))).toEqual(['middle']);
});

test('pages of a search follow each other, compared here or in the database', async () => {
  const operations = Array.from({ length: 1000 }, (_, n): StoreOperation => ({
    op: 'put',
    namespace: ['p'],
    key: String(n).padStart(4, '0'),
    value: { n, even: n % 2 === 0 },
  }));
  await runStoreOperations(db, operations);
  for (const filter of [{ even: true }, { n: { $gte: 500 } }]) {
    const pages = [0, 200, 400].map((offset) => search({ filter, limit: 200, offset }));
    const found = (await Promise.all(pages)).map((page) => page.map(({ key }) => key));
    expect(found.map((page) => page.length)).toEqual([200, 200, 100]);
    expect(new Set(found.flat()).size).toBe(500);
  }
  expect(await search({ filter: { n: { $gte: 0 } }, limit: 3, offset: 998 })).toHaveLength(2);
  expect(await search({ filter: { n: { $gte: 0 } }, limit: 0 })).toEqual([]);
});

test('namespaces are listed by prefix, suffix and depth, each once, in pages', async () => {
  for (const namespace of [['a', 'x', 'c'], ['a', 'y', 'c'], ['b', 'x', 'd'], ['a'], ['a', 'x', 'c']])
    await put(namespace, 'k', { n: 1 });
  const match = (match_type: 'prefix' | 'suffix', ...path: string[]) => ({
    match_conditions: [{ match_type, path }],
  });
  const rows: [Partial<List>, string[]][] = [
    [{}, ['a', 'a/x/c', 'a/y/c', 'b/x/d']],
    [{ limit: 2, offset: 1 }, ['a', 'a/y/c']],
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
    expect([query, found.map((labels) => labels.join('/')).toSorted()]).toEqual([query, expected]);
  }
});

test('NUL and halves of characters are left out of values and refused in names', async () => {
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

test.each([[-1], [10_001], [null], [1.5]])('a limit of %j is refused in words', async (limit) => {
  await expect(search({ limit: limit as number })).rejects.toThrow('at a time');
  await expect(list({ limit: limit as number })).rejects.toThrow('at a time');
});
