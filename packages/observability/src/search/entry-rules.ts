import { elementsOf, membersOf } from '@roadstead/json';
import type { TimeSlice } from '@roadstead/kit';
import { columnText } from '../values/column-text-rules.ts';
import { type EntryFamily, entryText, termOf } from './term-rules.ts';

/**
 * The keys and values of a JSON value as filters see them: scalars, as text, under the names that lead to them,
 * joined by dots. Lists add nothing to a name, so a key may have several values.
 */

/** Values by key; a list where a key has several. */
export type Entries = Readonly<Record<string, string | readonly string[]>>;

/** The limit on keys of one value of one run; further keys are not found. */
const MAX_KEYS = 1000;
const MAX_ENTRIES = 1000;
const MAX_TEXT_LENGTH: Readonly<Record<EntryFamily, number>> = {
  metadata: 65_536,
  input: 16_384,
  output: 16_384,
};
const MAX_KEY_LENGTH = 1000;

/** A key as it is kept, and its most recent values. */
interface KnownKey {
  readonly key: string;
  readonly term: number;
  readonly entries: Map<string, KnownEntry>;
}

/** A value of a key as it is kept. */
interface KnownEntry {
  readonly text: string;
  readonly term: number;
}

/** The longest text that is remembered; longer ones are computed each time, and most ids are shorter. */
const MAX_KNOWN_LENGTH = 128;
/** The limit on remembered keys and entries: beyond it all are forgotten, and the few frequent ones soon return. */
const MAX_KNOWN = 4096;

/**
 * Remembers what is computed from a key, or from a key and its value: it is the same for every run of a family, and
 * the runs of one agent hold nearly the same entries.
 */
class KnownTerms {
  readonly #family: EntryFamily;
  readonly #keys = new Map<string, KnownKey>();
  #count = 0;

  constructor(family: EntryFamily) {
    this.#family = family;
  }

  key(name: string): KnownKey {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const key = columnText(name, MAX_KEY_LENGTH);
    const made = { key, term: termOf(`${this.#family}_key`, key), entries: new Map<string, KnownEntry>() };
    if (name.length > MAX_KNOWN_LENGTH) return made;
    this.#countOne();
    this.#keys.set(name, made);
    return made;
  }

  entry({ key, entries }: KnownKey, value: string): KnownEntry {
    const known = entries.get(value);
    if (known !== undefined) return known;
    const text = columnText(entryText(value));
    const made = { text, term: termOf(`${this.#family}_entry`, key, text) };
    if (value.length > MAX_KNOWN_LENGTH) return made;
    this.#countOne();
    entries.set(value, made);
    return made;
  }

  #countOne(): void {
    this.#count += 1;
    if (this.#count <= MAX_KNOWN) return;
    this.#keys.clear();
    this.#count = 1;
  }
}

const known: Readonly<Record<EntryFamily, KnownTerms>> = {
  metadata: new KnownTerms('metadata'),
  input: new KnownTerms('input'),
  output: new KnownTerms('output'),
};

export class EntryList {
  readonly terms = new Set<number>();
  readonly #known: KnownTerms;
  readonly #max_length: number;
  readonly #values = new Map<string, string | string[]>();
  readonly #keys = new Set<string>();
  #count = 0;
  #length = 0;
  /** The last key, which is usually followed by its value. */
  #last: { readonly name: string; readonly key: KnownKey } | undefined;

  constructor(family: EntryFamily) {
    this.#known = known[family];
    this.#max_length = MAX_TEXT_LENGTH[family];
  }

  get entries(): Entries {
    return Object.fromEntries(this.#values);
  }

  get takesMore(): boolean {
    return this.#count < MAX_ENTRIES && this.#length < this.#max_length;
  }

  hasKey(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Adds a key. @returns whether more keys fit. */
  addKey(name: string): boolean {
    return this.#put(name) !== undefined;
  }

  /** Adds a value. @returns whether it is included. */
  add(name: string, value: string): boolean {
    const known_key = this.takesMore ? this.#put(name) : undefined;
    if (known_key === undefined) return false;
    const { key } = known_key;
    const { text, term } = this.#known.entry(known_key, value);
    const before = this.terms.size;
    if (this.terms.add(term).size === before) return true;
    this.#count += 1;
    this.#length += text.length;
    const there = this.#values.get(key);
    if (there === undefined) this.#values.set(key, text);
    else if (Array.isArray(there)) there.push(text);
    else this.#values.set(key, [there, text]);
    return true;
  }

  /** Undefined where no more keys fit. */
  #put(name: string): KnownKey | undefined {
    if (this.#keys.size >= MAX_KEYS) return undefined;
    if (this.#last?.name === name) return this.#last.key;
    const key = this.#known.key(name);
    this.#last = { name, key };
    if (this.#keys.has(key.key)) return key;
    this.#keys.add(key.key);
    this.terms.add(key.term);
    return key;
  }
}

type Scalar = string | number | boolean | null;

/** A visitor of scalars; both methods return whether it wants more. */
export interface ScalarVisit {
  /** Visits a member of an object, before its value. */
  key(key: string): boolean;
  scalar(key: string, value: Scalar): boolean;
}

/** Smaller texts are parsed at once. */
export const PARSED_BYTES = 65_536;
const MAX_DEPTH = 64;

interface Text {
  readonly json: Uint8Array;
  readonly visit: ScalarVisit;
  readonly slice: TimeSlice;
}

/**
 * Walks the scalars of a text. Of a large text only the visited parts are parsed, and of a long string only its
 * beginning.
 */
export async function walkScalars(json: Uint8Array, visit: ScalarVisit, slice: TimeSlice): Promise<void> {
  if (slice.isOver()) await slice.next();
  if (json.length <= PARSED_BYTES) walkValue(parsed(json), visit, '', 0);
  else await walkText({ json, visit, slice }, '', 0);
}

/** @param key the names that lead to the text @returns whether the visitor wants more. */
async function walkText(text: Text, key: string, depth: number): Promise<boolean> {
  const { json, visit, slice } = text;
  if (slice.isOver()) await slice.next();
  if (json.length <= PARSED_BYTES) return walkValue(parsed(json), visit, key, depth);
  if (depth >= MAX_DEPTH) return true;
  const members = await membersOf(json, slice);
  if (members !== undefined) {
    for (const [name, inner] of members) {
      const below = keyBelow(key, name);
      if (!visit.key(below) || !(await walkText({ ...text, json: inner }, below, depth + 1))) return false;
    }
    return true;
  }
  const elements = await elementsOf(json, slice);
  if (elements === undefined) return visit.scalar(key, beginningOf(json));
  for (const inner of elements) if (!(await walkText({ ...text, json: inner }, key, depth + 1))) return false;
  return true;
}

/** Walks the members of a parsed value. */
export const walkMembers = (value: unknown, visit: ScalarVisit): boolean => walkValue(value, visit, '', 0);

function walkValue(value: unknown, visit: ScalarVisit, key: string, depth: number): boolean {
  if (value === undefined || depth > MAX_DEPTH) return true;
  if (typeof value !== 'object' || value === null) return visit.scalar(key, value as Scalar);
  if (Array.isArray(value)) {
    for (const inner of value) if (!walkValue(inner, visit, key, depth + 1)) return false;
    return true;
  }
  for (const name of Object.keys(value)) {
    const below = keyBelow(key, name);
    const inner = (value as Readonly<Record<string, unknown>>)[name];
    if (!visit.key(below) || !walkValue(inner, visit, below, depth + 1)) return false;
  }
  return true;
}

const keyBelow = (key: string, name: string) => (key === '' ? name : `${key}.${name}`);

const decoder = new TextDecoder();

/** The parsed text; undefined where it is no JSON. */
export function parsed(json: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(json)) as unknown;
  } catch {
    return undefined;
  }
}

/** The first characters of a long string, or of a text that is no JSON. */
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
