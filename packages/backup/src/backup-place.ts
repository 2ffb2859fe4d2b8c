import { text } from 'node:stream/consumers';
import type { Blobs } from '@roadstead/blobs';
import { Manifest } from './manifest.ts';

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

/** What is told of a backup or a restore that is under way, and how it is ended. */
export interface BackupRun {
  readonly signal: AbortSignal;
  /** Told how far it is, as a part of a sentence. */
  readonly tell: (what: string) => void;
}

interface ListedBackups {
  /** The newest first. */
  readonly backups: readonly Backup[];
  /** Digests of manifests that are damaged or of a newer version. */
  readonly unreadable: readonly string[];
}

/** All backups of a place. */
export async function listBackups(manifests: Blobs): Promise<ListedBackups> {
  const backups: Backup[] = [];
  const unreadable: string[] = [];
  for await (const { digest } of manifests.list()) {
    const written = await readText(manifests, digest);
    if (written === undefined) continue;
    const manifest = parsed(written);
    if (manifest === undefined) unreadable.push(digest);
    else backups.push({ digest, manifest });
  }
  const newestFirst = (a: Backup, b: Backup) => b.manifest.began_at.localeCompare(a.manifest.began_at);
  return { backups: backups.toSorted(newestFirst), unreadable };
}

function parsed(written: string): Manifest | undefined {
  try {
    return Manifest.safeParse(JSON.parse(written)).data;
  } catch {
    return undefined;
  }
}

/** Puts a text, and answers its digest. */
export async function keepText(blobs: Blobs, written: string): Promise<string> {
  return (await blobs.put(new Blob([written]).stream(), { max_bytes: Infinity })).digest;
}

export async function readText(blobs: Blobs, digest: string): Promise<string | undefined> {
  const found = await blobs.get(digest);
  return found && text(found.stream as never);
}

/** The digests of the blobs of each store; undefined where a list is missing. */
export async function readLists(
  { manifest }: Backup,
  { tables }: BackupPlace,
): Promise<Record<string, readonly string[]> | undefined> {
  const lists: Record<string, readonly string[]> = {};
  for (const [store, { list }] of Object.entries(manifest.blobs)) {
    const written = await readText(tables, list);
    if (written === undefined) return undefined;
    lists[store] = written.split('\n').filter((line) => line !== '');
  }
  return lists;
}
