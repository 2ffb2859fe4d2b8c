import type { Transaction } from '@roadstead/postgres';
import { rangeOf } from './item-key.ts';
import { type Filter, isMatch, splitFilter } from './filter-rules.ts';
import { readJson, toJson } from '../json/json-text.ts';
import { Nearest, pgvectorText } from './vector-rules.ts';
import type { Page } from '../database/page.ts';

/** Vectors of the texts of items, and the search among them. */

export interface ItemVector {
  /** The path of the text in the item. */
  readonly path: string;
  readonly vector: Buffer;
}

/** Replaces the vectors of an item. */
export async function replaceVectors(
  tx: Transaction,
  {
    prefix,
    key,
    vectors,
    pgvector,
  }: {
    readonly prefix: string;
    readonly key: string;
    readonly vectors: readonly ItemVector[];
    /** The schema of the extension where it is used: it also gets the vectors. */
    readonly pgvector?: string | undefined;
  },
): Promise<void> {
  await tx.run('delete from store_vectors where prefix = $1 and key = $2', [prefix, key]);
  if (vectors.length === 0) return;
  const values = [prefix, key, vectors.map(({ path }) => path), vectors.map(({ vector }) => vector)];
  if (pgvector === undefined)
    await tx.run(
      `insert into store_vectors (prefix, key, path, vector)
       select $1, $2, path, vector from unnest($3::text[], $4::bytea[]) as x(path, vector)
       on conflict (prefix, key, path) do nothing`,
      values,
    );
  else
    await tx.run(
      `insert into store_vectors (prefix, key, path, vector, embedding)
       select $1, $2, path, vector, embedding::${pgvector}.vector
       from unnest($3::text[], $4::bytea[], $5::text[]) as x(path, vector, embedding)
       on conflict (prefix, key, path) do nothing`,
      [...values, vectors.map(({ vector }) => pgvectorText(vector))],
    );
}

export interface Near {
  readonly prefix: string;
  readonly key: string;
  readonly score: number;
}

export interface NearestQuery extends Page {
  readonly namespace_prefix: readonly string[];
  readonly filter?: Filter | undefined;
  readonly wanted: Buffer;
}

/** Rows that are compared between two turns of the event loop. */
const FETCHED = 250;

/** Finds the nearest items below a namespace exactly: every vector is compared. */
export async function findNearest(tx: Transaction, query: NearestQuery): Promise<Near[]> {
  const { namespace_prefix, filter = {}, limit, offset, wanted } = query;
  const { equal, compared } = splitFilter(filter);
  const nearest = new Nearest(wanted, offset + limit);
  await tx.run(
    `declare near no scroll cursor for
     select s.prefix, s.key, v.vector, ${compared.length > 0 ? 's.value::text' : 'null'} as value
     from store s join store_vectors v using (prefix, key)
     where s.prefix ~>=~ $1 and s.prefix ~<~ $2 and (s.expires_at is null or s.expires_at > now())
       and not exists (select from jsonb_each($3::text::jsonb) as f(field, wanted)
         where (s.value -> f.field) is distinct from f.wanted)`,
    [...rangeOf(namespace_prefix), toJson(equal)],
  );
  for (;;) {
    const rows = await tx.query<{ prefix: string; key: string; vector: Buffer; value: string | null }>(
      `fetch ${FETCHED} from near`,
    );
    for (const { prefix, key, vector, value } of rows) {
      if (value !== null && !isMatch(await readJson<Filter>(value), compared)) continue;
      nearest.add(() => JSON.stringify([prefix, key]), vector);
    }
    if (rows.length < FETCHED) break;
  }
  await tx.run('close near');
  return nearest
    .list()
    .slice(offset)
    .map(({ item, score }) => {
      const [prefix, key] = JSON.parse(item) as [string, string];
      return { prefix, key, score };
    });
}
