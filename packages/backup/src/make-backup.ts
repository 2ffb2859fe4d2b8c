import { text } from 'node:stream/consumers';
import { type Blobs, moveBlobs } from '@roadstead/blobs';
import { dumpSchemas, type SourceDatabase } from './dump-store.ts';
import { Manifest, type SchemaDump } from './manifest.ts';

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

/** Where backups lie: several share what is the same in them. */
export interface BackupPlace {
  readonly manifests: Blobs;
  readonly tables: Blobs;
  /** The stores, by the names that the installation has for them. */
  readonly blobs: Readonly<Record<string, Blobs>>;
}

export interface Backup {
  readonly digest: string;
  readonly manifest: Manifest;
}

interface BackupRun {
  readonly signal: AbortSignal;
  /** Told how far it is, as a part of a sentence. */
  readonly tell: (what: string) => void;
}

/** Clocks of a bucket and of ours differ by less. */
const MARGIN_MS = 3_600_000;

/**
 * Copies everything, while the installation is in use: blobs, then rows, then the blobs that came in the meantime, so
 * that what the rows name is there. It is a backup once its manifest is written, which comes last.
 */
export async function makeBackup(
  installed: BackupSource,
  place: BackupPlace,
  { signal, tell }: BackupRun,
): Promise<Backup> {
  const began = Date.now();
  await copyBlobs(installed, place, { since_ms: 0, signal, tell });
  const schemas: SchemaDump[] = [];
  const dump = async (databases: readonly SourceDatabase[]) => {
    for (const database of databases) {
      const onRows = countRows(database.name, tell);
      schemas.push(...(await dumpSchemas(database, { tables: place.tables, signal, onRows })));
    }
  };
  await dump(installed.databases);
  await dump(await installed.listAgents());
  const blobs = await copyBlobs(installed, place, { since_ms: began - MARGIN_MS, signal, tell });
  const manifest: Manifest = {
    format: 1,
    version: installed.version,
    began_at: new Date(began).toISOString(),
    ended_at: new Date().toISOString(),
    schemas,
    blobs,
    keys: installed.keys === undefined ? null : (await keep(place.tables, installed.keys)).digest,
  };
  return { digest: (await keep(place.manifests, manifest)).digest, manifest };
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

const keep = (blobs: Blobs, value: object) =>
  blobs.put(new Blob([JSON.stringify(value)]).stream(), { max_bytes: Infinity });

async function copyBlobs(
  installed: BackupSource,
  place: BackupPlace,
  { since_ms, signal, tell }: BackupRun & { readonly since_ms: number },
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [store, from] of Object.entries(installed.blobs)) {
    const to = place.blobs[store];
    if (to === undefined) throw new Error(`The place of the backup has no store ${store}.`);
    let looked_at = 0;
    const onProgress = ({ copied }: { readonly copied: number }) => {
      looked_at += 1;
      if (looked_at % 100 === 0) tell(`${store}: ${looked_at} looked at, ${copied} copied`);
    };
    await moveBlobs({ from, to, removes: false, signal, since_ms, onProgress });
    counts[store] = looked_at;
  }
  return counts;
}

/** All backups of a place, the newest first. */
export async function listBackups(manifests: Blobs): Promise<Backup[]> {
  const backups: Backup[] = [];
  for await (const { digest } of manifests.list()) {
    const found = await manifests.get(digest);
    if (found === undefined) continue;
    const parsed = Manifest.safeParse(JSON.parse(await text(found.stream as never)));
    if (parsed.success) backups.push({ digest, manifest: parsed.data });
  }
  return backups.toSorted((a, b) => b.manifest.began_at.localeCompare(a.manifest.began_at));
}
