import { isLarge, keepText, keptText, toJson } from '../json/json-text.ts';
import type { RunEvent } from './run.ts';

/**
 * Stores the events of runs: a part that a host sent once for many events is stored with the first of them only, and
 * the others name that event.
 */

/** An event whose data lacks its last value: that of another event, named here. */
export type StoredEvent = RunEvent & { readonly shared_with?: number };

interface SharedValue {
  readonly with_seq: number;
  /** The length of the last value's text. */
  readonly length: number;
}
const shared = new WeakMap<object, SharedValue>();

/** Records that the last value of an event's data, whose text is cached, is that of an earlier event. */
export function noteShared(data: readonly unknown[], with_seq: number): void {
  const { length } = keptText(data.at(-1)) ?? '';
  if (length > 0 && data.length > 1 && keptText(data) !== undefined) shared.set(data, { with_seq, length });
}

/** An event as it is stored; undefined for a large one. */
export function storedText(event: RunEvent): string | undefined {
  if (event.kind !== 'stream') return isLarge(event) ? undefined : toJson(event);
  const { data, ...rest } = event;
  keepText(data);
  const text = keptText(data);
  if (text === undefined) return isLarge(event) ? undefined : toJson(event);
  const of = shared.get(data as object);
  if (of === undefined) return `${toJson(rest).slice(0, -1)},"data":${text}}`;
  const before = text.slice(0, text.length - of.length - ',]'.length);
  return `${toJson({ ...rest, shared_with: of.with_seq }).slice(0, -1)},"data":${before}]}`;
}

/** The events as they were reported; named events that are missing are looked up. */
export async function wholeEvents(
  stored: readonly StoredEvent[],
  find: (seq: number) => Promise<RunEvent | undefined>,
): Promise<RunEvent[]> {
  const named = new Map<number, unknown>();
  const whole: RunEvent[] = [];
  for (const { shared_with, ...event } of stored) {
    if (event.kind !== 'stream') {
      whole.push(event);
      continue;
    }
    if (shared_with === undefined) {
      named.set(event.seq, lastOf(event));
      whole.push(event);
    } else {
      // Old events are deleted, except a run's last ones.
      if (!named.has(shared_with)) named.set(shared_with, lastOf(await find(shared_with)) ?? {});
      const last = named.get(shared_with);
      keepText(last);
      whole.push({ ...event, data: [...(event.data as readonly unknown[]), last] });
    }
  }
  // Their weight is the same as when they were reported.
  for (const event of whole) if (event.kind === 'stream') keepText(event.data);
  return whole;
}

const lastOf = (event: RunEvent | undefined): unknown =>
  event?.kind === 'stream' && Array.isArray(event.data) ? event.data.at(-1) : undefined;
