import type { Transaction } from '@roadstead/postgres';
import { markPrepared, markReleased, type HandoverStep } from '../records/held-assignment-store.ts';
import { staleFence } from '../records/instance-store.ts';
import { drawGeneration, lockListener } from '../records/listener-store.ts';
import { dealAssignments } from './deal-work.ts';

/**
 * Records a step of a handover: who takes a deployment over is prepared, or who had it has closed it, and the next one has it. Throws
 * `conflict` where the caller has no part in it any more.
 */
export async function recordHandover(
  tx: Transaction,
  { step, ...by }: HandoverStep & { readonly step: 'prepared' | 'released' },
): Promise<void> {
  await lockListener(tx, by.listener_id);
  const isTaken =
    step === 'prepared'
      ? await markPrepared(tx, { ...by, generation: await drawGeneration(tx, by.listener_id) })
      : await markReleased(tx, by);
  if (!isTaken) throw staleFence();
  await dealAssignments(tx, by.listener_id);
}
