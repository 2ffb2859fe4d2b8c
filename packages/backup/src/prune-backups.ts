import type { Blobs } from '@roadstead/blobs';
import { Problem } from '@roadstead/kit';
import { type BackupPlace, type BackupRun, listBackups, readLists } from './backup-place.ts';

/** A backup names what it has copied at its end, and none takes so long. */
const YOUNG_MS = 2 * 86_400_000;

export interface PruneReport {
  /** Backups that were removed. */
  readonly removed: number;
  readonly kept: number;
  /** Files that no backup named any more. */
  readonly files: number;
}

/**
 * Removes all backups but the newest, and what only those named. It may be cut off and run again.
 * @param options.keep how many are kept, one at least
 */
export async function pruneBackups(
  place: BackupPlace,
  {
    keep,
    signal,
    tell,
    now_ms = Date.now(),
  }: BackupRun & { readonly keep: number; readonly now_ms?: number },
): Promise<PruneReport> {
  const { backups, unreadable } = await listBackups(place.manifests);
  if (unreadable.length > 0)
    throw new Problem(
      'invalid',
      `A backup here is damaged or of a newer version, so nobody knows what it needs: ${unreadable.join(', ')}.`,
      { hint: 'Prune with the newer version, or remove that manifest.' },
    );
  const kept = backups.slice(0, keep);
  if (kept.length === 0) return { removed: 0, kept: 0, files: 0 };
  const tables = new Set<string>();
  const blobs = new Map(Object.keys(place.blobs).map((store) => [store, new Set<string>()]));
  for (const backup of kept) {
    const { manifest } = backup;
    const lists = await readLists(backup, place);
    // Nothing is removed by a guess.
    if (lists === undefined)
      throw new Problem('invalid', `The backup ${backup.digest} is damaged; remove its manifest first.`);
    for (const [store, digests] of Object.entries(lists))
      for (const digest of digests) blobs.get(store)?.add(digest);
    const named = [...Object.values(manifest.blobs).map(({ list }) => list), manifest.keys];
    for (const digest of named) if (digest !== null) tables.add(digest);
    for (const schema of manifest.schemas) for (const { digest } of schema.tables) tables.add(digest);
  }
  const sweep = sweeperOf({ signal, young_since_ms: now_ms - YOUNG_MS });
  for (const { digest } of backups.slice(keep)) await place.manifests.delete(digest);
  tell(`${backups.length - kept.length} backups removed`);
  let files = await sweep(place.tables, tables);
  for (const [store, named] of blobs) {
    const from = place.blobs[store];
    if (from !== undefined) files += await sweep(from, named);
  }
  return { removed: backups.length - kept.length, kept: kept.length, files };
}

/** Removes from a store what is not named, and not young either. */
const sweeperOf =
  ({ signal, young_since_ms }: { readonly signal: AbortSignal; readonly young_since_ms: number }) =>
  async (blobs: Blobs, named: ReadonlySet<string>): Promise<number> => {
    let removed = 0;
    for await (const { digest, put_at_ms } of blobs.list()) {
      signal.throwIfAborted();
      if (named.has(digest) || put_at_ms > young_since_ms) continue;
      await blobs.delete(digest);
      removed += 1;
    }
    await blobs.removeAbandoned();
    return removed;
  };
