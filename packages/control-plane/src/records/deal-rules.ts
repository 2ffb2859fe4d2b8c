/** How the deployments of a listener are dealt to its instances. */

/** An instance as others see it. */
export interface InstanceState {
  readonly name: string;
  readonly fence: number;
  /** Whether it holds its lease. */
  readonly is_live: boolean;
  /** Whether it takes no more deployments. */
  readonly is_draining: boolean;
}

/** A deployment at an instance, and the one that takes it over. */
export interface HeldAssignment {
  readonly deployment_id: string;
  readonly instance: string | null;
  readonly next_instance: string | null;
  /** Whether nothing of it is under way: only such a deployment moves for the sake of balance, first those without hosts. */
  readonly is_settled: boolean;
  readonly hosts: number;
}

export interface Deal {
  /** Nobody runs these; the instance does from now on. */
  readonly takes: readonly { readonly deployment_id: string; readonly instance: string }[];
  /** Who runs these goes on until that instance is prepared; null: it goes on, since nobody takes over. */
  readonly moves: readonly { readonly deployment_id: string; readonly next_instance: string | null }[];
}

/** How many deployments move at a time for the sake of balance: calls of each wait a moment. */
const MOVES_AT_ONCE = 4;

/**
 * Deals what nobody runs, and what runs at an instance that drains, to those with the fewest; then evens out what is left. A listener
 * without an instance that takes deployments keeps everything where it is.
 */
export function planDeal(instances: readonly InstanceState[], assignments: readonly HeldAssignment[]): Deal {
  const live = new Set(instances.filter((one) => one.is_live).map(({ name }) => name));
  const open = instances.filter((one) => one.is_live && !one.is_draining).map(({ name }) => name);
  const loads = new Map(open.map((name) => [name, 0]));
  const isOpen = (name: string | null): name is string => name !== null && loads.has(name);
  // One without a name knows nothing of handovers.
  const canMove = (name: string | null): name is string => isOpen(name) && name !== '';
  const add = (name: string, count: number) => loads.set(name, (loads.get(name) ?? 0) + count);
  for (const { instance, next_instance } of assignments) {
    const at = canMove(next_instance) ? next_instance : instance;
    if (isOpen(at)) add(at, 1);
  }
  const byLoad = (among: (name: string) => boolean) =>
    [...loads]
      .filter(([name]) => among(name))
      .sort(([, one], [, other]) => one - other)
      .map(([name]) => name);
  const deal = (among: (name: string) => boolean): string | undefined => {
    const [name] = byLoad(among);
    if (name !== undefined) add(name, 1);
    return name;
  };
  const takes: { deployment_id: string; instance: string }[] = [];
  const moves: { deployment_id: string; next_instance: string | null }[] = [];
  for (const { deployment_id, instance, next_instance } of assignments) {
    if (instance === null || !live.has(instance)) {
      const to = canMove(next_instance) ? next_instance : deal(isOpen);
      if (to !== undefined) takes.push({ deployment_id, instance: to });
    } else if (!canMove(next_instance)) {
      const next = isOpen(instance) || instance === '' ? null : (deal(canMove) ?? null);
      if (next !== next_instance) moves.push({ deployment_id, next_instance: next });
    }
  }
  return { takes, moves: [...moves, ...evenOut()] };

  function evenOut(): Deal['moves'] {
    const moving = assignments.filter((one) => isOpen(one.instance) && canMove(one.next_instance)).length;
    const idle = assignments
      .filter((one) => one.is_settled && one.next_instance === null)
      .toSorted((one, other) => one.hosts - other.hosts);
    return Array.from({ length: Math.max(MOVES_AT_ONCE - moving, 0) }).flatMap(() => {
      const names = byLoad(canMove);
      const [least = '', most = ''] = [names[0], names.at(-1)];
      if ((loads.get(most) ?? 0) - (loads.get(least) ?? 0) < 2) return [];
      const at = idle.findIndex(({ instance }) => instance === most);
      const [moved] = at < 0 ? [] : idle.splice(at, 1);
      if (moved === undefined) return [];
      add(most, -1);
      add(least, 1);
      return [{ deployment_id: moved.deployment_id, next_instance: least }];
    });
  }
}
