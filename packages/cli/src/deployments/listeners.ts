import type { Listener } from '@roadstead/contracts/control-plane';
import type { Target } from '../target/target.ts';
import { findListener, type Place, placeOf } from './place-rules.ts';

const PAGE = 100;
/** What the platform calls its own listener. */
const EMBEDDED = 'embedded';

/** All listeners that serve the workspace. */
export async function listListeners(
  { control }: Target,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<Listener[]> {
  const found: Listener[] = [];
  for (;;) {
    const query = { limit: PAGE, offset: found.length };
    const { resources } = await control.listListeners({ query, ...(signal && { signal }) });
    found.push(...resources);
    if (resources.length < PAGE) return found;
  }
}

/** Where a deploy is to run, by what the user calls it. Throws `invalid` where there is no such listener. */
export async function findPlace(
  target: Target,
  {
    listener,
    namespace,
    signal,
  }: {
    readonly listener: string | undefined;
    readonly namespace: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<Place> {
  const listener_id =
    listener === undefined ? undefined : findListener(listener, await listListeners(target, { signal })).id;
  return placeOf({ listener_id, namespace });
}

/** The place of what this machine's platform runs itself, whatever other listeners there are. */
export async function findOwnPlace(target: Target): Promise<Place> {
  const known = await listListeners(target);
  // The oldest comes last, and a workspace may have one of the same name.
  return placeOf({
    listener_id: known.findLast(({ compute_id }) => compute_id === EMBEDDED)?.id,
    namespace: undefined,
  });
}
