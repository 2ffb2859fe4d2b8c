import { z } from 'zod';

/** What a backup is, as the last file that is written of it: without one there is no backup. */

const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** The rows of one table as `COPY` writes them, compressed. */
const TableDump = z.object({
  name: z.string(),
  columns: z.array(z.string()).min(1),
  rows: z.int().min(0),
  digest: Digest,
});
export type TableDump = z.output<typeof TableDump>;

/** One schema as it was at one moment. */
const SchemaDump = z.object({
  /** The database, by the name that the installation has for it: `platform`, `traces` or that of a deployment's. */
  database: z.string(),
  schema: z.string(),
  /** The steps that its tables have seen. */
  migrations: z.array(z.int()),
  /** In an order in which each comes after those that it refers to. */
  tables: z.array(TableDump),
  sequences: z.array(z.object({ name: z.string(), last_value: z.string() })),
});
export type SchemaDump = z.output<typeof SchemaDump>;

export const Manifest = z.object({
  format: z.literal(1),
  /** The version of Roadstead that made it. */
  version: z.string(),
  began_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  schemas: z.array(SchemaDump),
  /** The blobs of each store: how many, and the list of their digests, a line each. */
  blobs: z.record(z.string(), z.object({ count: z.int(), list: Digest })),
  /** Keys and ids of the installation by their files' names; null where they are elsewhere. */
  keys: Digest.nullable(),
});
export type Manifest = z.output<typeof Manifest>;

export const Keys = z.record(z.string().regex(/^[a-z][a-z-]*$/), z.string());
