import { type Database, isConnectionError, type Transaction } from '@roadstead/postgres';
import { splitFilter } from './filter-rules.ts';
import { pageOf, rangeOf } from './item-key.ts';
import { toJson } from '../json/json-text.ts';
import { MAX_PGVECTOR_BYTES, pgvectorText } from './vector-rules.ts';
import type { Near, NearestQuery } from './vector-store.ts';

/** Vectors in pgvector's form, beside those that are authoritative: `store_vectors.vector`. */

/**
 * Prepares the use of the extension where the database has it, or lets us create it.
 * @returns the schema of the extension, quoted, or why it is not used, in words
 */
export async function preparePgvector(
  db: Database,
): Promise<{ readonly schema: string } | { readonly refused: string }> {
  const offered = await db.maybe(`select from pg_available_extensions where name = 'vector'`);
  if (offered === undefined) return { refused: 'The database server does not have it.' };
  try {
    return { schema: await db.transaction(prepare) };
  } catch (error) {
    if (!(error instanceof Error) || isConnectionError(error)) throw error;
    return { refused: error.message };
  }
}

async function prepare(tx: Transaction): Promise<string> {
  await tx.run(`select pg_advisory_xact_lock(hashtextextended('roadstead.pgvector', 0))`);
  // The schema where other users of the database look for it.
  await tx.run('create extension if not exists vector with schema public');
  const { schema, is_prepared } = await tx.one<{ schema: string; is_prepared: boolean }>(
    `select quote_ident(n.nspname) as schema, exists (
       select from pg_attribute
       where attrelid = 'store_vectors'::regclass and attname = 'embedding' and not attisdropped) as is_prepared
     from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'`,
  );
  if (!is_prepared)
    await tx.run(
      `alter table store_vectors add column embedding ${schema}.vector;
       create index store_vectors_unfilled on store_vectors (prefix) where ${UNFILLED}`,
    );
  return schema;
}

/** Rows that were written without the extension; not those that it cannot hold. */
const UNFILLED = `embedding is null and octet_length(vector) between 4 and ${MAX_PGVECTOR_BYTES}`;
/** In the order of their index, so that it is used. */
const FIRST_UNFILLED = `from store_vectors where ${UNFILLED} order by prefix`;

/** Rows that are filled in one transaction. */
const FILLED = 100;

interface VectorRow {
  readonly prefix: string;
  readonly key: string;
  readonly path: string;
  readonly vector: Buffer;
}

/** Fills some rows, and answers whether there may be more. Rows that are being written now are left to their writer. */
export async function fillSome(db: Database, schema: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const rows = await tx.query<VectorRow>(
      `select prefix, key, path, vector ${FIRST_UNFILLED} limit ${FILLED} for update skip locked`,
    );
    const texts: (string | null)[] = [];
    for (const { vector } of rows) {
      texts.push(pgvectorText(vector));
      // Long vectors take a millisecond each.
      await new Promise(setImmediate);
    }
    await tx.run(
      `update store_vectors v set embedding = x.embedding::${schema}.vector
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as x(prefix, key, path, embedding)
       where v.prefix = x.prefix and v.key = x.key and v.path = x.path`,
      [rows.map((row) => row.prefix), rows.map((row) => row.key), rows.map((row) => row.path), texts],
    );
    return rows.length === FILLED;
  });
}

export async function hasUnfilled(tx: Transaction): Promise<boolean> {
  return (await tx.maybe(`select ${FIRST_UNFILLED} limit 1`)) !== undefined;
}

/**
 * Like `findNearest`, but compared by the database; undefined where it cannot: for filters that only we can compare,
 * and for vectors that the extension does not hold. Vectors are of length 1: the inner product is the cosine, and 0 for
 * a vector of zeros, which has no cosine.
 */
export async function findNearestInside(
  tx: Transaction,
  { schema, query }: { readonly schema: string; readonly query: NearestQuery },
): Promise<Near[] | undefined> {
  const { equal, compared } = splitFilter(query.filter ?? {});
  const wanted = pgvectorText(query.wanted);
  if (compared.length > 0 || wanted === null) return undefined;
  const { limit, offset } = pageOf(query);
  return tx.query<Near>(
    `select s.prefix, s.key, max(${schema}.inner_product(v.embedding, $4::${schema}.vector)) as score
     from store s join store_vectors v using (prefix, key)
     where s.prefix ~>=~ $1 and s.prefix ~<~ $2 and (s.expires_at is null or s.expires_at > now())
       and not exists (select from jsonb_each($3::text::jsonb) as f(field, wanted)
         where (s.value -> f.field) is distinct from f.wanted)
       and octet_length(v.vector) = $5 and v.embedding is not null
     group by s.prefix, s.key
     order by score desc, s.prefix collate "C", s.key collate "C" limit $6 offset $7`,
    [...rangeOf(query.namespace_prefix), toJson(equal), wanted, query.wanted.length, limit, offset],
  );
}
