import { Problem } from '@roadstead/kit';
import type { Page } from '../database/page.ts';

/** Names items in the database: a namespace is kept as JSON text, so that any label is safe in it. */

export function prefixOf(namespace: readonly string[]): string {
  const prefix = JSON.stringify(namespace.map(nameOf));
  if (Buffer.byteLength(prefix) <= MAX_NAME_BYTES) return prefix;
  throw new Problem(
    'invalid',
    `A namespace of the store must not be longer than ${MAX_NAME_BYTES} bytes as JSON.`,
  );
}

/** @throws Problem `invalid` */
export function keyOf(key: string): string {
  if (Buffer.byteLength(key) <= MAX_NAME_BYTES) return nameOf(key);
  throw new Problem('invalid', `A key of the store must not be longer than ${MAX_NAME_BYTES} bytes.`);
}

/** Postgres' indexes take entries of 2,704 bytes: a namespace, a key, and the path of a text that is found by meaning. */
const MAX_NAME_BYTES = 1024;

/** The bounds between which the prefixes of a namespace and of those below it sort. */
export function rangeOf(namespace: readonly string[]): readonly [from: string, below: string] {
  const begins = JSON.stringify(namespace).slice(0, -1);
  // After its last label's quote a namespace continues with a comma or ends with a bracket, both before `^`.
  return [begins, `${begins}^`];
}

/** Postgres stores neither NUL nor half a surrogate pair: values drop them, but a name must stay what it is. */
export function nameOf(name: string): string {
  if (name.isWellFormed() && !name.includes('\0')) return name;
  throw new Problem('invalid', 'Keys and namespaces of the store must be valid Unicode text without NUL.');
}

/** The most that one call may ask for: its answer is held in memory. */
const MAX_LIMIT = 10_000;

/** @throws Problem `invalid` */
export function pageOf({ limit, offset }: Page): Page {
  // JSON writes a number that is not finite as null.
  if (!Number.isSafeInteger(limit) || limit < 0 || limit > MAX_LIMIT)
    throw new Problem('invalid', `A store gives 0 to ${MAX_LIMIT} items at a time; ask for more by offset.`);
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new Problem('invalid', 'The offset of a store must be an integer of at least 0.');
  return { limit, offset };
}
