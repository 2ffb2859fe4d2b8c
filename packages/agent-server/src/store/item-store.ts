import type { Queryable, Transaction } from '@roadstead/postgres';
import { jsonParameter, readJson, toJson } from '../json/json-text.ts';
import { type Filter, isMatch, splitFilter } from './filter-rules.ts';
import { keyOf, pageOf, prefixOf, rangeOf } from './item-key.ts';
import type { Near } from './vector-store.ts';
import type { Page } from '../database/page.ts';

/** LangGraph's key-value store in Postgres. Expired items are invisible, whether or not they were swept. */

interface ItemRow {
  readonly prefix: string;
  readonly key: string;
  readonly value: string;
  readonly created_at: string;
  readonly updated_at: string;
}
/** Values are as large as agents make them: they come as text, which the driver does not parse. */
const itemColumns = 'prefix, key, value::text, created_at, updated_at';
const isLive = '(expires_at is null or expires_at > now())';

export interface Item extends Omit<ItemRow, 'prefix' | 'value'> {
  readonly namespace: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
  /** Its similarity to the query. */
  readonly score?: number;
}

export interface ItemKey {
  readonly namespace: readonly string[];
  readonly key: string;
}

export async function findItem(db: Queryable, { namespace, key }: ItemKey): Promise<Item | null> {
  const row = await db.maybe<ItemRow>(
    `select ${itemColumns} from store where prefix = $1 and key = $2 and ${isLive}`,
    [prefixOf(namespace), keyOf(key)],
  );
  return row === undefined ? null : itemOf(row);
}

export async function upsertItem(
  tx: Transaction,
  {
    namespace,
    key,
    value,
    ttl,
  }: ItemKey & { readonly value: unknown; /** Minutes. */ readonly ttl: number | null },
): Promise<void> {
  await tx.run(
    `insert into store (prefix, key, value, ttl_minutes, expires_at)
     values ($1, $2, $3::text::jsonb, $4, now() + make_interval(secs => $4::double precision * 60))
     on conflict (prefix, key) do update set value = excluded.value, ttl_minutes = excluded.ttl_minutes,
       expires_at = excluded.expires_at, updated_at = now(),
       created_at = case when store.expires_at <= now() then now() else store.created_at end`,
    [prefixOf(namespace), keyOf(key), await jsonParameter(value), ttl],
  );
}

/** Deletes an item with its vectors. */
export async function deleteItem(tx: Transaction, { namespace, key }: ItemKey): Promise<void> {
  await tx.run('delete from store where prefix = $1 and key = $2', [prefixOf(namespace), keyOf(key)]);
}

/** Restarts the lifetime of those items that have one. */
export async function prolong(db: Queryable, items: readonly ItemKey[]): Promise<void> {
  if (items.length === 0) return;
  await db.run(
    `update store s set expires_at = now() + make_interval(secs => s.ttl_minutes * 60)
     from unnest($1::text[], $2::text[]) as x(prefix, key)
     where s.prefix = x.prefix and s.key = x.key and s.ttl_minutes is not null`,
    [items.map(({ namespace }) => prefixOf(namespace)), items.map(({ key }) => key)],
  );
}

export interface ItemSearch extends Page {
  readonly namespace_prefix: readonly string[];
  readonly filter?: Filter | undefined;
}

/** Items below a namespace, the newest first. */
export async function listItems(tx: Transaction, search: ItemSearch): Promise<Item[]> {
  const { limit, offset } = pageOf(search);
  const { equal, compared } = splitFilter(search.filter ?? {});
  const { sql, values } = searchOf(search.namespace_prefix, equal);
  if (compared.length === 0)
    return itemsOf(await tx.query<ItemRow>(`${sql} limit ${limit} offset ${offset}`, values));
  await tx.run(`declare found cursor for ${sql}`, values);
  const items: Item[] = [];
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

function searchOf(
  namespace: readonly string[],
  equal: Filter,
): { readonly sql: string; readonly values: unknown[] } {
  const values: unknown[] = [...rangeOf(namespace)];
  const fields = Object.entries(equal).map(
    ([field, wanted]) => `value -> $${values.push(field)} = $${values.push(toJson(wanted))}::text::jsonb`,
  );
  const conditions = ['prefix ~>=~ $1', 'prefix ~<~ $2', isLive, ...fields];
  return {
    sql: `select ${itemColumns} from store where ${conditions.join(' and ')} order by updated_at desc, prefix, key`,
    values,
  };
}

/** Reads the nearest items, in that order. */
export async function readNear(db: Queryable, near: readonly Near[]): Promise<Item[]> {
  const rows = await db.query<ItemRow>(
    `select ${itemColumns} from store join unnest($1::text[], $2::text[]) as x(prefix, key) using (prefix, key)`,
    [near.map(({ prefix }) => prefix), near.map(({ key }) => key)],
  );
  const items: Item[] = [];
  for (const { prefix, key, score } of near) {
    const row = rows.find((one) => one.prefix === prefix && one.key === key);
    if (row !== undefined) items.push({ ...(await itemOf(row)), score });
  }
  return items;
}

/** Deletes expired items, so many at most. */
export async function sweepItems(db: Queryable, most: number): Promise<number> {
  return db.run(
    `delete from store where (prefix, key) in (select prefix, key from store where expires_at <= now() limit $1)`,
    [most],
  );
}

/** When the next item expires; null where none does. */
export async function nextItemExpiry(db: Queryable): Promise<string | null> {
  return (
    await db.one<{ at: string | null }>(
      'select min(expires_at) as at from store where expires_at is not null',
    )
  ).at;
}

async function itemOf({ prefix, value, ...item }: ItemRow): Promise<Item> {
  return { namespace: JSON.parse(prefix) as string[], ...item, value: await readJson(value) };
}

async function itemsOf(rows: readonly ItemRow[]): Promise<Item[]> {
  const items: Item[] = [];
  for (const row of rows) items.push(await itemOf(row));
  return items;
}
