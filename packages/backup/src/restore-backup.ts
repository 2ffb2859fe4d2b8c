import { type Blobs, moveBlobs } from '@roadstead/blobs';
import { Problem } from '@roadstead/kit';
import { type Database, migrate, type Migration, openDatabase } from '@roadstead/postgres';
import { damaged, loadSchema } from './load-store.ts';
import { type Backup, type BackupPlace, type BackupRun, readLists, readText } from './backup-place.ts';
import { countRows } from './make-backup.ts';
import { Keys, type SchemaDump } from './manifest.ts';
import { readNote, removeNote, writeNote } from './restore-note-store.ts';
import { listMigrations } from './table-shapes-store.ts';

/** A schema that can be restored. */
interface RestoredSchema {
  readonly migrations: readonly Migration[];
  /** Makes the tables that no step makes, before their rows come. */
  readonly prepare?: (db: Database, tables: readonly string[]) => Promise<void>;
}

/** An installation without anything in it. */
export interface EmptyInstallation {
  readonly schemas: Readonly<Record<string, RestoredSchema>>;
  /** The address of a database of the backup, if it is there. */
  readonly findAddress: (database: string) => Promise<string | undefined>;
  /** The same, of a database that is made where it is missing. */
  readonly addressOf: (database: string) => Promise<string>;
  readonly blobs: Readonly<Record<string, Blobs>>;
  /** Called once nothing speaks against the restore, before anything is written. */
  readonly begin: () => Promise<void>;
}

type Restore = BackupRun & { readonly into: EmptyInstallation };

/** The keys of a backup; undefined where it has none. */
export async function readKeys(
  { manifest }: Backup,
  { tables }: BackupPlace,
): Promise<Record<string, string> | undefined> {
  if (manifest.keys === null) return undefined;
  const written = await readText(tables, manifest.keys);
  if (written === undefined) throw damaged('Its keys are missing.');
  return Keys.parse(JSON.parse(written));
}

/**
 * Puts everything of a backup into an installation that has nothing yet. It may be cut off and run again with the same
 * backup.
 * @throws Problem before anything is written: `conflict` where there is something already, `invalid` where a part of
 * the backup is missing or a newer version made it
 */
export async function restoreBackup(
  backup: Backup,
  place: BackupPlace,
  { into, signal, tell }: Restore,
): Promise<void> {
  const { digest, manifest } = backup;
  const lists = await requireWhole(backup, place);
  for (const dump of manifest.schemas) {
    stepsOf(dump, into);
    const url = await into.findAddress(dump.database);
    if (url !== undefined) await requireEmpty(url, { dump, digest });
  }
  await into.begin();
  await restoreBlobs(lists, place, { into, signal, tell });
  for (const dump of manifest.schemas) {
    signal.throwIfAborted();
    const url = await into.addressOf(dump.database);
    await using db = openDatabase({ url, max: 2, name: 'roadstead restore' });
    if ((await readNote(db, dump.schema)) === undefined) await writeNote(db, dump.schema, { digest });
    await migrate(db, { schema: dump.schema, migrations: stepsOf(dump, into), restores: true });
    await into.schemas[dump.schema]?.prepare?.(
      db,
      dump.tables.map(({ name }) => name),
    );
    const onRows = countRows(`${dump.database} (${dump.schema})`, tell);
    await loadSchema(dump, { url, tables: place.tables, signal, onRows });
  }
  // Until here no service starts on it.
  for (const { database, schema } of manifest.schemas) {
    await using db = openDatabase({ url: await into.addressOf(database), max: 1, name: 'roadstead restore' });
    await removeNote(db, schema);
  }
}

type BlobLists = Readonly<Record<string, readonly string[]>>;

/** Looks for every part of a backup. @throws Problem `invalid` */
async function requireWhole(backup: Backup, place: BackupPlace): Promise<BlobLists> {
  const lists = await readLists(backup, place);
  if (lists === undefined) throw damaged('A list of its blobs is missing.');
  const tables = backup.manifest.schemas.flatMap(({ schema, tables }) =>
    tables.map(({ name, digest }) => ({
      blobs: place.tables,
      digest,
      part: `The rows of ${schema}.${name} are`,
    })),
  );
  const blobs = Object.entries(lists).flatMap(([store, digests]) =>
    digests.map((digest) => ({ blobs: place.blobs[store], digest, part: `The blob ${digest} is` })),
  );
  const parts = [...tables, ...blobs].values();
  const look = async () => {
    for (const { blobs: store, digest, part } of parts)
      if (store === undefined || !(await store.has(digest))) throw damaged(`${part} missing.`);
  };
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, look));
  return lists;
}

const LOOKS_AT_ONCE = 8;

async function restoreBlobs(
  lists: BlobLists,
  place: BackupPlace,
  { into, signal, tell }: Restore,
): Promise<void> {
  for (const [store, to] of Object.entries(into.blobs)) {
    const [from, digests] = [place.blobs[store], lists[store]];
    if (from === undefined || digests === undefined) continue;
    const report = await moveBlobs({ from, to, listed: listed(digests), removes: false, signal });
    const [broken] = report.damaged;
    if (broken !== undefined) throw damaged(`The blob ${broken} is not what its name says.`);
    tell(`${store}: ${digests.length} are there`);
  }
}

async function* listed(digests: readonly string[]): AsyncGenerator<{ readonly digest: string }> {
  for (const digest of digests) yield { digest };
}

async function requireEmpty(
  url: string,
  { dump: { database, schema }, digest }: { readonly dump: SchemaDump; readonly digest: string },
): Promise<void> {
  await using db = openDatabase({ url, max: 1, name: 'roadstead restore' });
  const restored = await readNote(db, schema);
  if (restored === digest) return;
  if (restored !== undefined)
    throw new Problem('conflict', `Another backup is being restored into the database ${database}.`, {
      hint: 'Restore that one to its end, or begin with empty databases.',
    });
  if ((await listMigrations(db, schema)).length > 0)
    throw new Problem('conflict', `The database ${database} has a schema ${schema} already.`, {
      hint: 'A backup is restored into an empty installation: another data folder, or new databases.',
    });
}

/** The steps that the dump has seen; later ones follow when the services start. */
function stepsOf({ schema, migrations: seen }: SchemaDump, { schemas }: EmptyInstallation): Migration[] {
  const steps = schemas[schema]?.migrations.filter(({ id }) => seen.includes(id)) ?? [];
  if (steps.length < seen.length)
    throw new Problem('invalid', 'The backup was made by a newer version of Roadstead.', {
      hint: 'Restore it with that version.',
    });
  return steps;
}
