import type { StoreOperation } from '@roadstead/contracts/host';
import type { Queryable } from '@roadstead/postgres';
import { nameOf, pageOf, rangeOf } from './item-key.ts';

/** Lists the namespaces of items that have not expired, each once: label by label, each before those below it. */
export async function listNamespaces(
  db: Queryable,
  query: StoreOperation & { op: 'list_namespaces' },
): Promise<string[][]> {
  const { limit, offset } = pageOf(query);
  const values: unknown[] = [limit, offset];
  const value = (one: unknown) => `$${values.push(one)}`;
  const conditions = (query.match_conditions ?? []).flatMap(({ match_type, path }) => [
    ...(match_type === 'prefix' ? between(rangeOf(namedOf(path)), value) : []),
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
  const rows = await db.query<{ namespace: string }>(
    `select namespace from (
       select distinct ${shown} as namespace from store
       where ${['(expires_at is null or expires_at > now())', ...conditions].join(' and ')}
     ) as found
     order by ${labelsInARow} collate "C" limit $1 offset $2`,
    values,
  );
  return rows.map((row) => JSON.parse(row.namespace) as string[]);
}

/** Divides labels by a character that JSON escapes, so that it sorts before any of theirs. */
const labelsInARow = `replace(right(left(namespace, -2), -2), '","', chr(1))`;

/** The labels before the first wildcard. */
const namedOf = (path: readonly string[]) => path.slice(0, [...path, '*'].indexOf('*')).map(nameOf);

// oxlint-disable-next-line roadstead/two-positional -- the range and how a value is given
const between = ([from, below]: ReturnType<typeof rangeOf>, value: (one: unknown) => string) => [
  `prefix ~>=~ ${value(from)}`,
  `prefix ~<~ ${value(below)}`,
];
