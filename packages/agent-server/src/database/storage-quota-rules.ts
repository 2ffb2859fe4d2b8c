import { Problem } from '@roadstead/kit';

/** What the size of a deployment's database means where it has a quota. Pure. */

export type StorageLevel = 'free' | 'filling' | 'full';

/** A warning begins at the first part of the quota, and ends below the second. */
const WARNS_AT = 0.9;
const CALM_BELOW = 0.85;

interface StoredBytes {
  readonly bytes: number;
  readonly quota_bytes: number;
  readonly before: StorageLevel;
}

export function storageLevelOf({ bytes, quota_bytes, before }: StoredBytes): StorageLevel {
  if (bytes >= quota_bytes) return 'full';
  const warns_at = before === 'free' ? WARNS_AT : CALM_BELOW;
  return bytes >= quota_bytes * warns_at ? 'filling' : 'free';
}

/** What is wrong with the storage of a deployment. */
export interface StorageTrouble {
  readonly code: 'database_filling' | 'database_full';
  readonly message: string;
  readonly hint: string;
}

const MAKE_ROOM = 'Delete threads, runs or items of the store, or raise db_storage_gi.';

export function storageTroubleOf(level: StorageLevel, quota_bytes: number): StorageTrouble | undefined {
  const quota = `the ${shownBytes(quota_bytes)} that db_storage_gi of the resource_spec gives it`;
  switch (level) {
    case 'free':
      return undefined;
    case 'filling':
      return {
        code: 'database_filling',
        message: `The database of the deployment takes 90 % of ${quota}: no new run begins once it takes all of it.`,
        hint: MAKE_ROOM,
      };
    case 'full':
      return {
        code: 'database_full',
        message: `The database of the deployment takes all of ${quota}: no new run begins.`,
        hint: `${MAKE_ROOM} What is deleted makes room within seconds.`,
      };
    default:
      return level satisfies never;
  }
}

const RETRY_AFTER_S = 60;

/** The refusal of a run for which there is no room. */
export const storageFull = (quota_bytes: number): Problem =>
  new Problem(
    'limit',
    `The database of this agent takes all of the ${shownBytes(quota_bytes)} that it may, so no new run begins.`,
    { code: 'database_full', hint: MAKE_ROOM, retry_after_s: RETRY_AFTER_S },
  );

const UNITS = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const;

export function shownBytes(bytes: number): string {
  const [unit, size] = UNITS.find(([, least]) => bytes >= least) ?? ['bytes', 1];
  return `${Math.round((bytes / size) * 10) / 10} ${unit}`;
}

export interface TableFiles {
  /** What it takes on the disk, without its indexes. */
  readonly bytes: number;
  /** The pages that hold its rows, without what is too large for one. */
  readonly pages: number;
}

/** The most pages of a table that are read to find out what its rows take: some hundredths of a second. */
const SAMPLED_PAGES = 2048;

export const sampledPercent = (pages: number): number => Math.min(100, (SAMPLED_PAGES / pages) * 100);

/** What the server keeps beside the columns of a row. */
const ROW_BYTES = 32;
/** What pages hold beside rows, and where no further row has room. */
const PACKING = 1.1;

/** What of its files a table has no rows for. */
export function spareBytesOf(
  { bytes, pages }: TableFiles,
  sample: { readonly rows: number; readonly bytes: number },
): number {
  const sampled = (sample.bytes + sample.rows * ROW_BYTES) * PACKING;
  return Math.max(0, bytes - (sampled * 100) / sampledPercent(pages));
}
