import type { RunEvent } from '../runs/run.ts';

/** How a run's events are written together: pieces of one text become one. Pure. */

/** Merges neighbouring pieces of one message: a window's worth is one event, with the number of its last. */
export function mergeChunks(events: readonly RunEvent[]): RunEvent[] {
  const merged: RunEvent[] = [];
  for (const event of events) {
    const joined = join(merged.at(-1), event);
    if (joined === undefined) merged.push(event);
    else merged[merged.length - 1] = joined;
  }
  return merged;
}

/** As few events as say the same, for what is too late to be told piece by piece: all pieces of a message stand where its first stood. */
export function squeeze(events: readonly RunEvent[]): RunEvent[] {
  const kept: RunEvent[] = [];
  const at = new Map<string, number>();
  for (const event of events) {
    // What a new attempt says again stands behind its beginning.
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
