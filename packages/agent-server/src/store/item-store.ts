import type { StoreOperation } from '@roadstead/contracts/host';
import { type Database, Problem, type Transaction } from '@roadstead/kit';
import { jsonParameter, readJson, toJson } from '../json-text.ts';
import { isMatch, splitFilter } from './filter-rules.ts';

/** LangGraph's key-value store in Postgres: a namespace is kept as JSON text, so that any label is safe in it. */

interface ItemRow {
  prefix: string;
  key: string;
  value: string;
  created_at: string;
  updated_at: string;
}
/** Values are as large as agents make them: they come as text, which the driver does not parse. */
const itemColumns = 'prefix, key, value::text, created_at, updated_at';

interface Item extends Omit<ItemRow, 'prefix' | 'value'> {
  readonly namespace: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
}

/** Does all operations in one transaction, in order, and answers their results in that order. */
export async function runStoreOperations(
  db: Database,
  operations: readonly StoreOperation[],
): Promise<unknown[]> {
  return db.transaction((tx) => runStoreOperationsIn(tx, operations));
}

export async function runStoreOperationsIn(
  tx: Transaction,
  operations: readonly StoreOperation[],
): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const operation of operations) results.push(await runOne(tx, operation));
  return results;
}

async function runOne(tx: Transaction, operation: StoreOperation): Promise<unknown> {
  switch (operation.op) {
    case 'get':
      return getItem(tx, operation);
    case 'put':
      return putItem(tx, operation);
    case 'search':
      return searchItems(tx, operation);
    case 'list_namespaces':
      return listNamespaces(tx, operation);
    default:
      return operation satisfies never;
  }
}

async function getItem(
  tx: Transaction,
  { namespace, key }: StoreOperation & { op: 'get' },
): Promise<unknown> {
  const where = [prefixOf(namespace), nameOf(key)];
  const row = await tx.maybe<ItemRow>(
    `select ${itemColumns} from store where prefix = $1 and key = $2`,
    where,
  );
  return row === undefined ? null : itemOf(row);
}

async function putItem(
  tx: Transaction,
  { namespace, key, value }: StoreOperation & { op: 'put' },
): Promise<null> {
  if (value === null)
    await tx.run('delete from store where prefix = $1 and key = $2', [prefixOf(namespace), nameOf(key)]);
  else {
    await tx.run(
      `insert into store (prefix, key, value) values ($1, $2, $3::text::jsonb)
       on conflict (prefix, key) do update set value = excluded.value, updated_at = now()`,
      [prefixOf(namespace), nameOf(key), await jsonParameter(value)],
    );
  }
  return null;
}

/**
 * Items below a namespace, the newest first. `query` chooses nothing: without an index of meanings it does not in the stock
 * stores either.
 */
async function searchItems(tx: Transaction, search: StoreOperation & { op: 'search' }): Promise<unknown[]> {
  const { limit, offset } = pageOf(search);
  const { equal, compared } = splitFilter(search.filter ?? {});
  const begins = JSON.stringify(search.namespace_prefix).slice(0, -1);
  // After its last label's quote a namespace goes on with a comma or ends with a bracket, both before `^`.
  const values = [begins, `${begins}^`, toJson(equal)];
  if (compared.length === 0)
    return itemsOf(await tx.query<ItemRow>(`${searchSql} limit $4 offset $5`, [...values, limit, offset]));
  await tx.run(`declare found cursor for ${searchSql}`, values);
  const items: unknown[] = [];
  let skip = offset;
  while (items.length < limit) {
    const fetched = await itemsOf(await tx.query<ItemRow>(`fetch ${FETCHED} from found`));
    const matching = fetched.filter(({ value }) => isMatch(value, compared));
    items.push(...matching.slice(skip, skip + limit - items.length));
    skip = Math.max(0, skip - matching.length);
    if (fetched.length < FETCHED) break;
  }
  await tx.run('close found');
  return items;
}

/** Rows that are compared here at a time. */
const FETCHED = 200;
const searchSql = `select ${itemColumns} from store where prefix ~>=~ $1 and prefix ~<~ $2
    and not exists (select from jsonb_each($3::text::jsonb) as f(field, wanted)
      where (store.value -> f.field) is distinct from f.wanted)
  order by updated_at desc, prefix, key`;

async function listNamespaces(
  tx: Transaction,
  query: StoreOperation & { op: 'list_namespaces' },
): Promise<string[][]> {
  const { limit, offset } = pageOf(query);
  const values: unknown[] = [limit, offset];
  const value = (one: unknown) => `$${values.push(one)}`;
  const conditions = (query.match_conditions ?? []).flatMap(({ match_type, path }) => [
    `json_array_length(prefix::json) >= ${path.length}`,
    ...path.flatMap((label, at) => {
      const place = match_type === 'prefix' ? at : at - path.length;
      return label === '*' ? [] : [`prefix::json ->> ${place} = ${value(nameOf(label))}`];
    }),
  ]);
  const depth = query.max_depth === undefined ? undefined : value(query.max_depth);
  const shown =
    depth === undefined
      ? 'prefix'
      : `(select '[' || coalesce(string_agg(label::text, ',' order by at), '') || ']'
          from json_array_elements(prefix::json) with ordinality as l(label, at) where at <= ${depth}::integer)`;
  const rows = await tx.query<{ namespace: string }>(
    `select distinct ${shown} collate "C" as namespace from store ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
     order by 1 limit $1 offset $2`,
    values,
  );
  return rows.map((row) => JSON.parse(row.namespace) as string[]);
}

/** What one call may ask for: its answer is held in memory. */
const MAX_LIMIT = 10_000;

function pageOf({ limit, offset }: { readonly limit: number; readonly offset: number }): {
  limit: number;
  offset: number;
} {
  // JSON makes null of what is no finite number.
  if (!Number.isSafeInteger(limit) || limit < 0 || limit > MAX_LIMIT)
    throw new Problem('invalid', `A store gives 0 to ${MAX_LIMIT} items at a time; ask for more by offset.`);
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new Problem('invalid', 'The offset of a store must be an integer of at least 0.');
  return { limit, offset };
}

const prefixOf = (namespace: readonly string[]) => JSON.stringify(namespace.map(nameOf));

/** Postgres keeps neither NUL nor half a surrogate pair in text: values do without, but a name must stay what it is. */
function nameOf(name: string): string {
  if (name.isWellFormed() && !name.includes('\0')) return name;
  throw new Problem('invalid', 'Keys and namespaces of the store must be valid Unicode text without NUL.');
}

async function itemOf({ prefix, value, ...item }: ItemRow): Promise<Item> {
  return { namespace: JSON.parse(prefix) as string[], ...item, value: await readJson(value) };
}

async function itemsOf(rows: readonly ItemRow[]): Promise<Item[]> {
  const items: Item[] = [];
  for (const row of rows) items.push(await itemOf(row));
  return items;
}
