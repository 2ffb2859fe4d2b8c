import type { Revision } from '@roadstead/contracts/control-plane';

/** Derives when a revision was the active one. */

export interface Activity {
  readonly active_from?: string;
  /** Absent while it still is. */
  readonly active_until?: string;
}

/** @param deployed the revisions of the same deployment that were ever active */
export function activity(revision: Revision, deployed: readonly Revision[]): Activity {
  const active_from = activatedAt(revision);
  if (active_from === undefined) return {};
  const [active_until] = deployed
    .map(activatedAt)
    .filter((at) => at !== undefined)
    .filter((at) => Date.parse(at) > Date.parse(active_from))
    .toSorted((one, other) => Date.parse(one) - Date.parse(other));
  return { active_from, ...(active_until === undefined ? {} : { active_until }) };
}

/** The end of its switch phase. */
function activatedAt({ status, phases }: Revision): string | undefined {
  if (status !== 'DEPLOYED') return undefined;
  return phases.findLast(({ phase }) => phase === 'switch')?.ended_at ?? undefined;
}
