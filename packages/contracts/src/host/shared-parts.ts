import type { HostEvent } from './events.ts';
import { MalformedFrame } from './malformed-frame.ts';

type StreamEvent = Extract<HostEvent, { kind: 'stream' }>;

/** So many of the last are known on both sides. */
export const MAX_SHARED_PARTS = 16;
/** The parts that are kept for a run have at most so many characters, names included. */
const MAX_SHARED_CHARACTERS = 65_536;
const MAX_ITEMS = 16;

/** Whether a value may be shared: a small object of texts, numbers, and short lists and objects of these. */
export function isShareable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  let characters = 0;
  for (const name in fields) {
    const items = itemsOf(fields[name]);
    if (items === undefined || items.some((one) => typeof one === 'object' && one !== null)) return false;
    characters += name.length;
    for (const one of items) characters += typeof one === 'string' ? one.length : 1;
    if (characters > MAX_SHARED_CHARACTERS) return false;
  }
  return true;
}

/** Lists the values in a member, with the names of an object; undefined where it has more than a few. */
function itemsOf(field: unknown): readonly unknown[] | undefined {
  if (typeof field !== 'object' || field === null) return [field];
  if (Array.isArray(field)) return field.length > MAX_ITEMS ? undefined : field;
  const entries = Object.entries(field);
  return entries.length > MAX_ITEMS ? undefined : entries.flat();
}

/**
 * What a host says once for many events of a run: the metadata of a model's message is the same with each of its pieces, and several
 * times as long as they are.
 */
export class SharedParts {
  readonly #parts = new Map<number, unknown>();
  readonly #max: number;
  #last = 0;

  constructor(max = MAX_SHARED_PARTS) {
    this.#max = max;
  }

  /**
   * The event as it is meant.
   * @throws MalformedFrame where it names what was not sent, shares what is too large, or counts in another order
   */
  whole({ shares, shared, ...event }: StreamEvent): StreamEvent {
    const data = event.data as readonly unknown[];
    if (shares !== undefined) {
      const part = Array.isArray(data) ? data.at(-1) : undefined;
      if (shares <= this.#last || !isShareable(part))
        throw new MalformedFrame('an event shares what it may not');
      this.#last = shares;
      keepLast(this.#parts, { key: shares, value: part, max: this.#max });
    }
    if (shared === undefined) return event;
    if (!this.#parts.has(shared) || !Array.isArray(data))
      throw new MalformedFrame('an event shares what was not sent before');
    return { ...event, data: [...data, this.#parts.get(shared)] };
  }
}

/** Sets an entry, and forgets the oldest beyond so many. */
export function keepLast<Key, Value>(
  entries: Map<Key, Value>,
  { key, value, max }: { readonly key: Key; readonly value: Value; readonly max: number },
): void {
  entries.set(key, value);
  if (entries.size <= max) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}
