import type { RunEvent } from '../runs/run.ts';

/** How long events wait to be written, and how those that wait are merged. Pure. */

const MIN_WINDOW_MS = 50;
const MAX_WINDOW_MS = 250;
const WINDOW_MS_PER_RUN = 0.25;

/**
 * The time that events of so many runs wait for more before they are written. It grows with the runs, so that many of
 * them cost no more statements and rows than a machine has time for.
 */
export const windowOf = (runs: number): number =>
  Math.min(MAX_WINDOW_MS, Math.max(MIN_WINDOW_MS, runs * WINDOW_MS_PER_RUN));

/** Merges neighbouring pieces of one message into one event with the number of the last. */
export function mergeChunks(events: readonly RunEvent[]): RunEvent[] {
  const merged: RunEvent[] = [];
  for (const event of events) {
    const joined = join(merged.at(-1), event);
    if (joined === undefined) merged.push(event);
    else merged[merged.length - 1] = joined;
  }
  return merged;
}

/**
 * Reduces events that are too late to be sent piece by piece: all pieces of a message move to the place of its first.
 */
export function squeeze(events: readonly RunEvent[]): RunEvent[] {
  const kept: RunEvent[] = [];
  const at = new Map<string, number>();
  for (const event of events) {
    // Messages that a new attempt repeats belong behind its beginning.
    if (event.kind === 'started') at.clear();
    const place = event.kind === 'chunk' ? at.get(event.message_id) : undefined;
    const first = place === undefined ? undefined : kept[place];
    if (event.kind === 'chunk' && place !== undefined && first?.kind === 'chunk')
      kept[place] = { ...first, text: first.text + event.text };
    else {
      kept.push(event);
      if (event.kind === 'chunk') at.set(event.message_id, kept.length - 1);
    }
  }
  return kept;
}

function join(last: RunEvent | undefined, event: RunEvent): RunEvent | undefined {
  if (last?.kind !== 'chunk' || event.kind !== 'chunk' || last.message_id !== event.message_id)
    return undefined;
  return { ...event, text: last.text + event.text };
}
