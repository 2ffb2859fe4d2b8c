import type { Database, Transaction } from '@roadstead/postgres';
import { type Deal, type HeldAssignment, type InstanceState, planDeal } from '../records/deal-rules.ts';
import {
  hasMoving,
  hasUnheld,
  listHeld,
  moveAssignments,
  takeAssignments,
} from '../records/held-assignment-store.ts';
import { listInstances, setFence } from '../records/instance-store.ts';
import { drawFence, drawGenerations, lockListener } from '../records/listener-store.ts';

/** Facts that change without a call of ours. As long as they stay the same, there is nothing to deal. */
export interface DealState {
  readonly instances: readonly InstanceState[];
  readonly has_unheld: boolean;
  /** Whether deployments are on their way from one instance to another. */
  readonly is_moving: boolean;
}

export async function readDealState(db: Database, listener_id: string): Promise<DealState> {
  return {
    instances: await listInstances(db, listener_id),
    has_unheld: await hasUnheld(db, listener_id),
    is_moving: await hasMoving(db, listener_id),
  };
}

/** Whether nothing is to be dealt that was not before. */
export const isSameDeal = (before: DealState, now: DealState): boolean =>
  !now.has_unheld && JSON.stringify(before.instances) === JSON.stringify(now.instances);

/** Deals the deployments of a listener; true where that changed anything. */
export async function dealAssignments(tx: Transaction, listener_id: string): Promise<boolean> {
  // One at a time, so that each sees what the one before did.
  await lockListener(tx, listener_id);
  const instances = await listInstances(tx, listener_id);
  const held = await listHeld(tx, listener_id);
  const { takes, moves } = planDeal(instances, held);
  if (takes.length === 0 && moves.length === 0) return false;
  // Each that is taken has one of its own; what moves shares one.
  const count = takes.length + 1;
  const generation = await drawGenerations(tx, { id: listener_id, count });
  await takeAssignments(tx, {
    takes: await withFences(tx, listener_id, { takes, instances, held }),
    generation: generation - count,
  });
  await refuseLosers(tx, listener_id, { takes, held });
  await moveAssignments(tx, { moves, generation });
  return true;
}

/**
 * The fence of each taken assignment, which has to grow: that of its instance where this is larger, else one that is drawn.
 */
async function withFences(
  tx: Transaction,
  listener_id: string,
  {
    takes,
    instances,
    held,
  }: {
    readonly takes: Deal['takes'];
    readonly instances: readonly InstanceState[];
    readonly held: readonly (HeldAssignment & { readonly fence: number })[];
  },
): Promise<(Deal['takes'][number] & { readonly fence: number })[]> {
  const before = new Map(held.map((one) => [one.deployment_id, one.fence]));
  const own = new Map(instances.map((one) => [one.name, one.fence]));
  const isLarger = ({ deployment_id, instance }: Deal['takes'][number]) =>
    (own.get(instance) ?? 0) > (before.get(deployment_id) ?? 0);
  const drawn = takes.every(isLarger) ? 0 : await drawFence(tx, listener_id);
  return takes.map((one) => ({ ...one, fence: isLarger(one) ? (own.get(one.instance) ?? 0) : drawn }));
}

/** An instance whose lease has ended learns by its next poll, which is refused, that it lost something. */
async function refuseLosers(
  tx: Transaction,
  listener_id: string,
  { takes, held }: { readonly takes: Deal['takes']; readonly held: readonly HeldAssignment[] },
): Promise<void> {
  const holders = new Map(held.map((one) => [one.deployment_id, one.instance]));
  const losers = new Set(
    takes.map(({ deployment_id }) => holders.get(deployment_id)).filter((one) => one != null),
  );
  for (const instance of losers)
    await setFence(tx, { listener_id, instance }, { fence: await drawFence(tx, listener_id) });
}
