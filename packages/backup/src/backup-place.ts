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

/** All backups of a place, the newest first. */
export async function listBackups(manifests: Blobs): Promise<Backup[]> {
  const backups: Backup[] = [];
  for await (const { digest } of manifests.list()) {
    const written = await readText(manifests, digest);
    const parsed = written === undefined ? undefined : Manifest.safeParse(JSON.parse(written));
    if (parsed?.success === true) backups.push({ digest, manifest: parsed.data });
  }
  return backups.toSorted((a, b) => b.manifest.began_at.localeCompare(a.manifest.began_at));
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
