import { type Database, type Queryable, RESTORED_FROM } from '@roadstead/postgres';

/** While a schema is being restored, a table in it says of which backup. */

const noteOf = (schema: string) => `"${schema}".${RESTORED_FROM}`;

/** The digest of the backup that is being restored into the schema. */
export async function readNote(db: Queryable, schema: string): Promise<string | undefined> {
  const { isThere } = await db.one<{ isThere: boolean }>(`select to_regclass($1) is not null as "isThere"`, [
    noteOf(schema),
  ]);
  if (!isThere) return undefined;
  return (await db.one<{ digest: string }>(`select digest from ${noteOf(schema)}`)).digest;
}

/** Makes the schema where there is none. */
export async function writeNote(
  db: Database,
  schema: string,
  { digest }: { readonly digest: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(`create schema if not exists "${schema}"`);
    await tx.run(`create table ${noteOf(schema)} (digest text not null)`);
    await tx.run(`insert into ${noteOf(schema)} values ($1)`, [digest]);
  });
}

export async function removeNote(db: Queryable, schema: string): Promise<void> {
  await db.run(`drop table if exists ${noteOf(schema)}`);
}
