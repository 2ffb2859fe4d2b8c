import type { StoreOperation } from '@roadstead/contracts';
import type { Database, Queryable } from '@roadstead/kit';

/** LangGraph's key-value store in Postgres: a namespace is kept as JSON text, so that any label is safe in it. */

interface ItemRow {
  prefix: string;
  key: string;
  value: Record<string, unknown>;
  created_at: string;
  updated_at: string;
}

/** Does all operations in one transaction, in order, and answers their results in that order. */
export async function runStoreOperations(
  db: Database,
  operations: readonly StoreOperation[],
): Promise<unknown[]> {
  return db.transaction(async (tx) => {
    const results: unknown[] = [];
    for (const operation of operations) results.push(await runOne(tx, operation));
    return results;
  });
}

async function runOne(tx: Queryable, operation: StoreOperation): Promise<unknown> {
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

async function getItem(tx: Queryable, { namespace, key }: StoreOperation & { op: 'get' }): Promise<unknown> {
  return itemOf(
    await tx.maybe<ItemRow>('select * from store where prefix = $1 and key = $2', [prefixOf(namespace), key]),
  );
}

async function putItem(
  tx: Queryable,
  { namespace, key, value }: StoreOperation & { op: 'put' },
): Promise<null> {
  if (value === null)
    await tx.run('delete from store where prefix = $1 and key = $2', [prefixOf(namespace), key]);
  else {
    await tx.run(
      `insert into store (prefix, key, value) values ($1, $2, $3::text::jsonb)
       on conflict (prefix, key) do update set value = excluded.value, updated_at = now()`,
      [prefixOf(namespace), key, JSON.stringify(value)],
    );
  }
  return null;
}

async function searchItems(tx: Queryable, search: StoreOperation & { op: 'search' }): Promise<unknown[]> {
  const rows = await tx.query<ItemRow>(
    `select * from store where starts_with(prefix, $1) order by updated_at desc, prefix, key`,
    [openPrefixOf(search.namespace_prefix)],
  );
  return rows
    .filter(
      (row) =>
        startsWith(JSON.parse(row.prefix) as string[], search.namespace_prefix) &&
        matches(row.value, search.filter ?? {}),
    )
    .slice(search.offset, search.offset + search.limit)
    .map(itemOf);
}

async function listNamespaces(
  tx: Queryable,
  query: StoreOperation & { op: 'list_namespaces' },
): Promise<string[][]> {
  const rows = await tx.query<{ prefix: string }>('select distinct prefix from store');
  const found = rows
    .map((row) => JSON.parse(row.prefix) as string[])
    .filter((namespace) =>
      (query.match_conditions ?? []).every((condition) => matchesPath(namespace, condition)),
    )
    .map((namespace) => namespace.slice(0, query.max_depth ?? namespace.length));
  const distinct = [...new Set(found.map((namespace) => JSON.stringify(namespace)))].toSorted();
  return distinct.slice(query.offset, query.offset + query.limit).map((text) => JSON.parse(text) as string[]);
}

const prefixOf = (namespace: readonly string[]) => JSON.stringify(namespace);
/** What the texts of a namespace and of all below it begin with. */
const openPrefixOf = (namespace: readonly string[]) => JSON.stringify(namespace).slice(0, -1);

const startsWith = (namespace: readonly string[], prefix: readonly string[]) =>
  prefix.every((label, at) => namespace[at] === label);

function matchesPath(
  namespace: readonly string[],
  condition: { match_type: 'prefix' | 'suffix'; path: readonly string[] },
): boolean {
  const { path } = condition;
  if (path.length > namespace.length) return false;
  const part =
    condition.match_type === 'prefix' ? namespace.slice(0, path.length) : namespace.slice(-path.length);
  return path.every((label, at) => label === '*' || label === part[at]);
}

type Comparable = number | string;
const comparators: Readonly<Record<string, (value: unknown, given: unknown) => boolean>> = {
  $eq: (value, given) => same(value, given),
  $ne: (value, given) => !same(value, given),
  $gt: (value, given) => (value as Comparable) > (given as Comparable),
  $gte: (value, given) => (value as Comparable) >= (given as Comparable),
  $lt: (value, given) => (value as Comparable) < (given as Comparable),
  $lte: (value, given) => (value as Comparable) <= (given as Comparable),
};

/** A filter names fields of the value: plain equality, or an object of comparators (`$eq`, `$gt`, …). */
function matches(
  value: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(filter).every(([field, wanted]) => {
    const operators = typeof wanted === 'object' && wanted !== null ? Object.entries(wanted) : [];
    if (operators.length === 0 || !operators.every(([name]) => name in comparators))
      return same(value[field], wanted);
    return operators.every(([name, given]) => comparators[name]?.(value[field], given) ?? false);
  });
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function itemOf(row: ItemRow | undefined): unknown {
  if (row === undefined) return null;
  const { prefix, ...item } = row;
  return { namespace: JSON.parse(prefix) as string[], ...item };
}
