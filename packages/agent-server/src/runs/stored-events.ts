import { isLarge, keepText, keptText, toJson } from '../json/json-text.ts';
import type { RunEvent } from './run.ts';

/**
 * How the events of runs stand in the database: what a host said once for many events stands with the first of them only, which the
 * others name.
 */

/** An event whose data lacks its last value, which is the last of that event's. */
export type StoredEvent = RunEvent & { readonly shared_with?: number };

interface Shared {
  readonly with_seq: number;
  /** Of the text of the last value. */
  readonly length: number;
}
const shared = new WeakMap<object, Shared>();

/** Notes that the last value of an event's data, of which the text is kept, is that of an event before it. */
export function noteShared(data: readonly unknown[], with_seq: number): void {
  const { length } = keptText(data.at(-1)) ?? '';
  if (length > 0 && data.length > 1 && keptText(data) !== undefined) shared.set(data, { with_seq, length });
}

/** An event as it is stored; undefined of a large one. */
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

/** The events as they were told; those that they name and that are not among them are asked for. */
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
      // What is old is deleted but for a run's last words.
      if (!named.has(shared_with)) named.set(shared_with, lastOf(await find(shared_with)) ?? {});
      const last = named.get(shared_with);
      keepText(last);
      whole.push({ ...event, data: [...(event.data as readonly unknown[]), last] });
    }
  }
  // Their weight is reckoned as it was when they were told.
  for (const event of whole) if (event.kind === 'stream') keepText(event.data);
  return whole;
}

const lastOf = (event: RunEvent | undefined): unknown =>
  event?.kind === 'stream' && Array.isArray(event.data) ? event.data.at(-1) : undefined;
