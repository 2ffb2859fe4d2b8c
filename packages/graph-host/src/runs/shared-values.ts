import { isShareable } from '@roadstead/contracts/host-peer';
import { isPlain } from '../values/message-serde.ts';

/**
 * Values that one run says again and again, such as the metadata of a model's message with each of its pieces: numbered, so that
 * they are said once (`shared-parts.ts` of the host protocol). One that was changed since is another one.
 */
export class SharedValues {
  readonly #known = new WeakMap<object, KnownFields>();
  #count = 0;
  readonly #max: number;

  /** @param max how many of the last the other side knows */
  constructor(max: number) {
    this.#max = max;
  }

  /** Undefined for what can't be compared quickly, or is no plain object. */
  numberOf(value: unknown): { readonly number: number; readonly is_new: boolean } | undefined {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
      return undefined;
    const fields = value as Fields;
    const known = this.#known.get(value);
    if (known !== undefined && known.number > this.#count - this.#max && isSame(fields, known))
      return { number: known.number, is_new: false };
    const held = isShareable(value) ? copyOf(fields) : undefined;
    if (held === undefined) return undefined;
    this.#count += 1;
    this.#known.set(value, { ...held, number: this.#count });
    return { number: this.#count, is_new: true };
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields that a value held when it was sent. */
interface HeldFields {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
}
interface KnownFields extends HeldFields {
  readonly number: number;
}

/** Copies a value that may be shared; undefined where JSON would not show all of it. */
function copyOf(fields: Fields): HeldFields | undefined {
  const names = Object.keys(fields);
  const values: unknown[] = [];
  for (const name of names) {
    const value = fields[name];
    const holds = typeof value === 'object' && value !== null;
    if (holds ? !isPlain(value) : typeof value === 'function') return undefined;
    values.push(Array.isArray(value) ? [...(value as readonly unknown[])] : holds ? { ...value } : value);
  }
  return { names, values };
}

function isSame(fields: Fields, { names, values }: HeldFields): boolean {
  let at = 0;
  for (const name in fields) {
    if (names[at] !== name || !isEqual(fields[name], values[at])) return false;
    at += 1;
  }
  return at === names.length;
}

function isEqual(now: unknown, then: unknown): boolean {
  if (Object.is(now, then)) return true;
  if (!Array.isArray(now) || !Array.isArray(then)) return isSameObject(now, then);
  if (now.length !== then.length) return false;
  for (let at = 0; at < now.length; at += 1) if (now[at] !== then[at]) return false;
  return true;
}

function isSameObject(now: unknown, then: unknown): boolean {
  if (typeof now !== 'object' || typeof then !== 'object' || now === null || then === null) return false;
  if (Array.isArray(now) || Array.isArray(then)) return false;
  const [entries, held] = [Object.entries(now), Object.entries(then)];
  return (
    entries.length === held.length &&
    entries.every(([name, value], at) => held[at]?.[0] === name && held[at][1] === value)
  );
}
