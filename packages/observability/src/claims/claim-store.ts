import type { Database } from '@roadstead/postgres';

/**
 * Does the work unless another instance holds the claim of this name. The claim is a lock of a transaction that does
 * nothing else, so that it ends with the process that holds it.
 * @returns whether it was done here.
 */
export async function whileClaimed(
  db: Database,
  name: string,
  { work }: { readonly work: () => Promise<void> },
): Promise<boolean> {
  return db.patientTransaction(async (tx) => {
    const { taken } = await tx.one<{ taken: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('roadstead.traces.claim.' || $1, 0)) as taken`,
      [name],
    );
    if (taken) await work();
    return taken;
  });
}
