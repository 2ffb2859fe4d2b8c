import { Problem } from '@roadstead/kit';

/** What the size of a deployment's database means where it has a quota. Pure. */

export type StorageLevel = 'free' | 'filling' | 'full';

/** A warning begins at the first part of the quota, and ends below the second. */
const WARNS_AT = 0.9;
const CALM_BELOW = 0.85;

/** The part of the rows of a table that has to be deleted before it is worth writing it again. */
const WORTH = 0.05;

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
        hint: `${MAKE_ROOM} What is deleted is given back once no run is under way.`,
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

/** What the server has counted of a table. */
export interface TableUse {
  readonly name: string;
  readonly rows: number;
  /** All rows that were ever deleted from it. */
  readonly deleted: number;
}

/** The tables that give room back when they are written anew: enough of their rows are gone since that was last done. */
export function tablesToCompact(
  tables: readonly TableUse[],
  compacted: ReadonlyMap<string, number>,
): TableUse[] {
  return tables.filter(({ name, rows, deleted }) => {
    const gone = deleted - (compacted.get(name) ?? 0);
    return gone > 0 && gone >= (rows + gone) * WORTH;
  });
}
