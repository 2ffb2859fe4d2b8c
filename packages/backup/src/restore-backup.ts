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
  /** The address of a database of the backup, which exists then. */
  readonly addressOf: (database: string) => Promise<string>;
  readonly blobs: Readonly<Record<string, Blobs>>;
}

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
 * @throws Problem `conflict` where there is something already, and `invalid` where a newer version made the backup
 */
export async function restoreBackup(
  backup: Backup,
  place: BackupPlace,
  { into, signal, tell }: BackupRun & { readonly into: EmptyInstallation },
): Promise<void> {
  const { digest, manifest } = backup;
  await restoreBlobs(backup, place, { into, signal, tell });
  for (const dump of manifest.schemas) {
    signal.throwIfAborted();
    const url = await into.addressOf(dump.database);
    await using db = openDatabase({ url, max: 2, name: 'roadstead restore' });
    await requireEmpty(db, { dump, digest });
    await bringTo(db, dump, into.schemas[dump.schema]);
    const onRows = countRows(`${dump.database} (${dump.schema})`, tell);
    await loadSchema(dump, { url, tables: place.tables, signal, onRows });
  }
  for (const { database, schema } of manifest.schemas) {
    await using db = openDatabase({ url: await into.addressOf(database), max: 1, name: 'roadstead restore' });
    await removeNote(db, schema);
  }
}

async function restoreBlobs(
  backup: Backup,
  place: BackupPlace,
  { into, signal, tell }: BackupRun & { readonly into: EmptyInstallation },
): Promise<void> {
  const lists = await readLists(backup, place);
  if (lists === undefined) throw damaged('The list of its blobs is missing.');
  for (const [store, to] of Object.entries(into.blobs)) {
    const [from, digests] = [place.blobs[store], lists[store]];
    if (from === undefined || digests === undefined) continue;
    await moveBlobs({ from, to, listed: present(from, digests), removes: false, signal });
    tell(`${store}: ${digests.length} are there`);
  }
}

async function* present(
  blobs: Blobs,
  digests: readonly string[],
): AsyncGenerator<{ readonly digest: string }> {
  for (const digest of digests) {
    if (!(await blobs.has(digest))) throw damaged(`The blob ${digest} is missing.`);
    yield { digest };
  }
}

async function requireEmpty(
  db: Database,
  { dump: { database, schema }, digest }: { readonly dump: SchemaDump; readonly digest: string },
): Promise<void> {
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
  await writeNote(db, schema, { digest });
}

/** Applies the steps that the dump has seen; later ones follow when the services start. */
async function bringTo(
  db: Database,
  { schema, migrations: seen, tables }: SchemaDump,
  known: RestoredSchema | undefined,
): Promise<void> {
  const migrations = known?.migrations.filter(({ id }) => seen.includes(id)) ?? [];
  if (migrations.length < seen.length)
    throw new Problem('invalid', 'The backup was made by a newer version of Roadstead.', {
      hint: 'Restore it with that version.',
    });
  await migrate(db, { schema, migrations });
  await known?.prepare?.(
    db,
    tables.map(({ name }) => name),
  );
}
