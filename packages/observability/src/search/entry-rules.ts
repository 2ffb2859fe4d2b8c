import type { TimeSlice } from '@roadstead/kit';
import { columnText } from '../ingest/column-text-rules.ts';
import { elementsOf, membersOf } from '../ingest/json-slices-codec.ts';
import { type EntryFamily, entryText, termOf } from './term-rules.ts';

/**
 * The keys and values of a JSON value as filters see them: scalars, as text, under the names that lead to them, joined by
 * dots. Lists have no part in a name, so a key may have several values.
 */

/** By key; a list where there are several. */
export type Entries = Readonly<Record<string, string | readonly string[]>>;

/** What is kept of one value of one run; what is beyond is not found. */
const MAX_KEYS = 1000;
const MAX_ENTRIES = 1000;
const MAX_TEXT_LENGTH: Readonly<Record<EntryFamily, number>> = {
  metadata: 65_536,
  input: 16_384,
  output: 16_384,
};
const MAX_KEY_LENGTH = 1000;

export class EntryList {
  readonly terms = new Set<number>();
  readonly #family: EntryFamily;
  readonly #values = new Map<string, string | string[]>();
  readonly #keys = new Set<string>();
  #count = 0;
  #length = 0;

  constructor(family: EntryFamily) {
    this.#family = family;
  }

  get entries(): Entries {
    return Object.fromEntries(this.#values);
  }

  get takesMore(): boolean {
    return this.#count < MAX_ENTRIES && this.#length < MAX_TEXT_LENGTH[this.#family];
  }

  hasKey(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Whether there is room for more keys. */
  addKey(name: string): boolean {
    if (this.#keys.size >= MAX_KEYS) return false;
    const key = keyText(name);
    if (this.#keys.has(key)) return true;
    this.#keys.add(key);
    this.terms.add(termOf(`${this.#family}_key`, key));
    return true;
  }

  add(name: string, value: string): void {
    if (!this.takesMore || !this.addKey(name)) return;
    const key = keyText(name);
    const text = columnText(entryText(value));
    const entry = termOf(`${this.#family}_entry`, key, text);
    if (this.terms.has(entry)) return;
    this.terms.add(entry);
    this.terms.add(termOf(`${this.#family}_value`, text));
    this.#count += 1;
    this.#length += text.length;
    const there = this.#values.get(key);
    if (there === undefined) this.#values.set(key, text);
    else if (Array.isArray(there)) there.push(text);
    else this.#values.set(key, [there, text]);
  }
}

const keyText = (name: string) => columnText(name, MAX_KEY_LENGTH);

type Scalar = string | number | boolean | null;

/** Both tell whether they want more. */
export interface ScalarVisit {
  /** Of a member of an object, before what it holds. */
  key(key: string): boolean;
  scalar(key: string, value: Scalar): boolean;
}

/** Smaller texts are parsed at once. */
const PARSED_BYTES = 65_536;
const MAX_DEPTH = 64;

interface Place {
  readonly key: string;
  readonly depth: number;
}

/** Of a large text only what is on the way is parsed, and of a long string only its beginning. */
export async function walkScalars(json: Uint8Array, visit: ScalarVisit, slice: TimeSlice): Promise<void> {
  await walkText({ json, visit, slice }, { key: '', depth: 0 });
}

async function walkText(
  text: { readonly json: Uint8Array; readonly visit: ScalarVisit; readonly slice: TimeSlice },
  at: Place,
): Promise<boolean> {
  const { json, visit, slice } = text;
  if (slice.isOver()) await slice.next();
  if (json.length <= PARSED_BYTES) return walkValue(parsed(json), { visit, at });
  if (at.depth >= MAX_DEPTH) return true;
  const members = await membersOf(json, slice);
  if (members !== undefined) {
    for (const [name, inner] of members) {
      const below = placeBelow(at, name);
      if (!visit.key(below.key) || !(await walkText({ ...text, json: inner }, below))) return false;
    }
    return true;
  }
  const elements = await elementsOf(json, slice);
  if (elements === undefined) return visit.scalar(at.key, beginningOf(json));
  for (const inner of elements) {
    if (!(await walkText({ ...text, json: inner }, { ...at, depth: at.depth + 1 }))) return false;
  }
  return true;
}

/** Of a value that is parsed already. */
export const walkMembers = (value: unknown, visit: ScalarVisit): boolean =>
  walkValue(value, { visit, at: { key: '', depth: 0 } });

function walkValue(
  value: unknown,
  { visit, at }: { readonly visit: ScalarVisit; readonly at: Place },
): boolean {
  if (value === undefined || at.depth > MAX_DEPTH) return true;
  if (typeof value !== 'object' || value === null) return visit.scalar(at.key, value as Scalar);
  if (Array.isArray(value)) {
    const below = { ...at, depth: at.depth + 1 };
    return value.every((inner: unknown) => walkValue(inner, { visit, at: below }));
  }
  for (const [name, inner] of Object.entries(value)) {
    const below = placeBelow(at, name);
    if (!visit.key(below.key) || !walkValue(inner, { visit, at: below })) return false;
  }
  return true;
}

function placeBelow({ key, depth }: Place, name: string): Place {
  return { key: key === '' ? name : `${key}.${name}`, depth: depth + 1 };
}

const decoder = new TextDecoder();

function parsed(json: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(json)) as unknown;
  } catch {
    return undefined;
  }
}

/** Of a long string, or of what is no JSON: the characters that it begins with. */
function beginningOf(json: Uint8Array): string {
  const text = decoder.decode(json.subarray(0, PARSED_BYTES));
  const inside = text
    .replace(/^"/, '')
    .replace(/\\(?:u[\da-f]{0,3})?$/i, '')
    .replace(/�+$/, '');
  try {
    return JSON.parse(`"${inside}"`) as string;
  } catch {
    return inside;
  }
}
