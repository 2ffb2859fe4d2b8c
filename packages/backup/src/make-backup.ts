import type { Blobs } from '@roadstead/blobs';
import { type Backup, type BackupPlace, type BackupRun, keepText } from './backup-place.ts';
import { BlobCopies } from './blob-copies.ts';
import { dumpSchemas, type SourceDatabase } from './dump-store.ts';
import type { Manifest, SchemaDump } from './manifest.ts';

/** What is backed up. */
export interface BackupSource {
  readonly version: string;
  /** The first ones, whose rows say which others there are. */
  readonly databases: readonly SourceDatabase[];
  /** The databases of deployments, listed once the first ones have been copied. */
  readonly listAgents: () => Promise<readonly SourceDatabase[]>;
  readonly blobs: Readonly<Record<string, Blobs>>;
  /** Keys and ids by the names of their files; undefined where they are elsewhere. */
  readonly keys: Readonly<Record<string, string>> | undefined;
}

interface MadeBackup extends Backup {
  /** Blobs that are not what their names say, and not in the backup. */
  readonly damaged: readonly string[];
}

/**
 * Copies everything, while the installation is in use: blobs, then rows, then the blobs that came in the meantime, so
 * that what the rows name is there. It is a backup once its manifest is written, which comes last.
 */
export async function makeBackup(
  source: BackupSource,
  place: BackupPlace,
  { signal, tell }: BackupRun,
): Promise<MadeBackup> {
  const began = Date.now();
  const copies = Object.entries(source.blobs).map(([name, from]) => {
    const to = place.blobs[name];
    if (to === undefined) throw new Error(`The place of the backup has no store ${name}.`);
    return { name, blobs: new BlobCopies({ name, from, to, signal, tell }) };
  });
  for (const { blobs } of copies) await blobs.copyNew();
  const schemas: SchemaDump[] = [];
  const dump = async (databases: readonly SourceDatabase[]) => {
    for (const database of databases) {
      const onRows = countRows(database.name, tell);
      try {
        schemas.push(...(await dumpSchemas(database, { tables: place.tables, signal, onRows })));
      } catch (error) {
        if ((await database.isGone?.()) !== true) throw error;
      }
    }
  };
  await dump(source.databases);
  await dump(await source.listAgents());
  for (const { blobs } of copies) await blobs.copyNew();
  const lists: Manifest['blobs'] = {};
  for (const { name, blobs } of copies) {
    const { digests } = blobs;
    lists[name] = { count: digests.length, list: await keepText(place.tables, digests.join('\n')) };
  }
  const manifest: Manifest = {
    format: 1,
    version: source.version,
    began_at: new Date(began).toISOString(),
    ended_at: new Date().toISOString(),
    schemas,
    blobs: lists,
    keys: source.keys === undefined ? null : await keepText(place.tables, JSON.stringify(source.keys)),
  };
  const digest = await keepText(place.manifests, JSON.stringify(manifest));
  return { digest, manifest, damaged: copies.flatMap(({ blobs }) => blobs.damaged) };
}

const TOLD_EACH_ROWS = 100_000;

/** Tells of the first rows of a database, and each time that there are many more. */
export function countRows(database: string, tell: BackupRun['tell']): (rows: number) => void {
  let [count, told] = [0, -TOLD_EACH_ROWS];
  return (rows) => {
    count += rows;
    if (count - told < TOLD_EACH_ROWS) return;
    told = count;
    tell(`${database}: ${count} rows so far`);
  };
}
