import type { Listener, SourceConfig } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';

/** Where a deployment is to run, as a deploy names it. Pure. */

export type Place = Pick<SourceConfig, 'listener_id' | 'listener_config'>;

/** What a listener is found by. */
export type KnownListener = Pick<Listener, 'id' | 'compute_id'>;

/** @throws Problem `invalid` where no listener, or several, have the name */
export function findListener(wanted: string, known: readonly KnownListener[]): KnownListener {
  const [one, ...others] = known.filter(
    ({ id, compute_id }) => id === wanted.toLowerCase() || compute_id === wanted,
  );
  if (one === undefined)
    throw new Problem('invalid', `--listener ${wanted} names no listener of this workspace.`, {
      hint:
        known.length === 0
          ? 'There is none.'
          : `There are ${known.map(({ id, compute_id }) => `${compute_id} (${id})`).join(', ')}.`,
    });
  if (others.length > 0)
    throw new Problem('invalid', `--listener ${wanted} is the name of several listeners.`, {
      hint: `Name one by its id: ${[one, ...others].map(({ id }) => id).join(', ')}.`,
    });
  return one;
}

/** The part of `source_config` that says where; fields that are not named are left out. */
export function placeOf({
  listener_id,
  namespace,
}: {
  readonly listener_id: string | undefined;
  readonly namespace: string | undefined;
}): Place {
  return {
    ...(listener_id === undefined ? {} : { listener_id }),
    ...(namespace === undefined ? {} : { listener_config: { cluster_namespace: namespace } }),
  };
}
