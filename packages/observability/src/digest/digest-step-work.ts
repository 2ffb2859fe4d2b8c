import type { UnderLock } from '@roadstead/postgres';
import { type Change, takeChanges } from '../records/change-store.ts';
import { type DigestOptions, digestPartition, type RunsToDigest } from './digest-work.ts';
import type { WorkspacePartition } from './search-store.ts';
import { attempt, listDueUndigested, removeUndigested, setAside } from './undigested-store.ts';

/** The approximate number of runs of one transaction. */
const RUNS_AT_ONCE = 500;

/**
 * One step: takes the oldest changes of a workspace, and brings search rows and rollups into line with the stored
 * runs that they name. The result is the same however often a run is named, and whatever happened to it in between.
 * @returns whether there was something to do.
 */
export async function digestSome(tx: UnderLock<'digest'>, options: DigestOptions): Promise<boolean> {
  const { workspace_id } = options;
  const changes = await takeChanges(tx, { workspace_id, runs: RUNS_AT_ONCE });
  for (const { run_ids, ...partition } of byPartition(changes))
    await digestApart(tx, { workspace_id, ...partition }, { run_ids, options });
  return changes.length > 0 || (await digestDue(tx, options));
}

/** Tries again the runs that were set aside. */
async function digestDue(tx: UnderLock<'digest'>, options: DigestOptions): Promise<boolean> {
  const { workspace_id } = options;
  const due = await listDueUndigested(tx, workspace_id);
  const changes = due.map(({ tier, week, run_id }) => ({ tier, week, run_ids: [run_id] }));
  for (const { run_ids, ...partition } of byPartition(changes)) {
    const failed = new Set(await digestApart(tx, { workspace_id, ...partition }, { run_ids, options }));
    await removeUndigested(tx, { workspace_id, run_ids: run_ids.filter((run_id) => !failed.has(run_id)) });
  }
  return due.length > 0;
}

function byPartition(changes: readonly Change[]): Change[] {
  return [...Map.groupBy(changes, ({ tier, week }) => `${tier}/${week}`).values()].flatMap(
    ([first, ...more]) => {
      if (first === undefined) return [];
      const run_ids = [first, ...more].flatMap((change) => change.run_ids);
      return { ...first, run_ids: [...new Set(run_ids)] };
    },
  );
}

/**
 * A run whose digest fails must not keep the others waiting: such runs are found by halving, and set aside.
 * @returns those.
 */
async function digestApart(
  tx: UnderLock<'digest'>,
  partition: WorkspacePartition,
  { run_ids, options }: RunsToDigest,
): Promise<string[]> {
  const failure = await attempt(tx, () => digestPartition(tx, partition, { run_ids, options }));
  if (failure === undefined) return [];
  const [run_id, ...others] = run_ids;
  if (run_id === undefined) return [];
  if (others.length > 0) {
    const half = Math.ceil(run_ids.length / 2);
    return [
      ...(await digestApart(tx, partition, { run_ids: run_ids.slice(0, half), options })),
      ...(await digestApart(tx, partition, { run_ids: run_ids.slice(half), options })),
    ];
  }
  // Mostly a consequence of the digest has failed: the run itself is still found and counted.
  const alone = { ...options, onDigested: async () => undefined };
  await attempt(tx, () => digestPartition(tx, partition, { run_ids, options: alone }));
  const { error } = failure;
  const { code, name } = error as { readonly code?: string; readonly name?: string };
  const set_aside = await setAside(tx, { ...partition, run_id }, { reason: code ?? name ?? 'unknown' });
  options.log.error('run cannot be digested', { ...partition, run_id, ...set_aside, error });
  return [run_id];
}
