import { isDeepStrictEqual } from 'node:util';
import type { TimeSlice } from '@roadstead/kit';
import { readJson } from '../decoding/sent-json-codec.ts';
import { json_values } from './attribute-tables.ts';
import { isTooDeep, SMALL_CHARS } from './nesting-rules.ts';
import type { Attributes, AttributeValue } from './span.ts';

/** A JSON text: its value, and the text as it was written. */
export interface JsonText {
  readonly text: string;
  readonly value: unknown;
}

export const isSameValue = (one: unknown, other: unknown): boolean => isDeepStrictEqual(one, other);

/** Compares values; larger ones are the same only where they are written in the same way. */
export function isSame(one: JsonText | undefined, other: JsonText | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (one.text === other.text) return true;
  const is_small = one.text.length <= SMALL_CHARS && other.text.length <= SMALL_CHARS;
  return is_small && isDeepStrictEqual(one.value, other.value);
}

export const jsonOf = (value: unknown): JsonText => ({ text: JSON.stringify(value), value });

/**
 * Attributes as rules read them. A rule takes the attributes that a field shows, together with those that repeat them
 * under another name; attributes that nothing has taken stay with the run.
 */
export class AttributeReader {
  readonly #attributes: Attributes;
  readonly #texts: Map<string, JsonText>;
  readonly #taken = new Set<string>();

  private constructor(attributes: Attributes, texts: Map<string, JsonText>) {
    this.#attributes = attributes;
    this.#texts = texts;
  }

  static async of(attributes: Attributes, slice: TimeSlice): Promise<AttributeReader> {
    const texts = new Map<string, JsonText>();
    for (const [name, value] of attributes) {
      const read =
        typeof value === 'string' ? await readText(name, value) : await readList(name, value, slice);
      if (read !== undefined) texts.set(name, read);
      if (slice.isOver()) await slice.next();
    }
    return new AttributeReader(attributes, texts);
  }

  /** The value as it was sent; takes nothing. */
  peek(name: string): AttributeValue | undefined {
    return this.#attributes.get(name) ?? undefined;
  }

  /** The value as it was written where it is JSON, otherwise as JSON; takes nothing. */
  json(name: string): JsonText | undefined {
    const value = this.#attributes.get(name);
    if (value === undefined || value === null || value === '') return undefined;
    const known = this.#texts.get(name) ?? jsonOf(value);
    this.#texts.set(name, known);
    return known;
  }

  /** The parsed value of a JSON text, otherwise the value itself; takes nothing. */
  meaning(name: string): unknown {
    return this.json(name)?.value;
  }

  /** The attributes with this prefix, by the rest of their names; takes nothing. */
  under(prefix: string): [rest: string, value: AttributeValue][] {
    return [...this.#attributes].flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as [string, AttributeValue]] : [],
    );
  }

  take(...names: readonly string[]): void {
    for (const name of names) this.#taken.add(name);
  }

  /** Keeps attributes that are shown in other words, or only in part. */
  keep(...names: readonly string[]): void {
    for (const name of names) this.#taken.delete(name);
  }

  /** Takes those of these attributes whose value equals what is shown. */
  takeSame(names: readonly string[], ...shown: readonly (JsonText | undefined)[]): void {
    for (const name of names) {
      const said = this.json(name);
      if (shown.some((one) => isSame(said, one))) this.#taken.add(name);
    }
  }

  /** The first of these attributes that is present. */
  first(...names: readonly string[]): AttributeValue | undefined {
    return this.#choose(names, (name) => this.peek(name));
  }

  firstText(...names: readonly string[]): string | undefined {
    return this.#choose(names, (name) => {
      const value = this.peek(name);
      return typeof value === 'string' && value !== '' ? value : undefined;
    });
  }

  /** The first number among these, also where it came as text. */
  firstNumber(...names: readonly string[]): number | undefined {
    return this.#choose(names, (name) => this.number(name));
  }

  number(name: string): number | undefined {
    const value = this.peek(name);
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  }

  firstJson(...names: readonly string[]): JsonText | undefined {
    const found = names.find((name) => this.json(name) !== undefined);
    if (found === undefined) return undefined;
    this.takeSame(names, this.json(found));
    return this.json(found);
  }

  #choose<T>(names: readonly string[], read: (name: string) => T | undefined): T | undefined {
    const value = names.map(read).find((one) => one !== undefined);
    if (value === undefined) return undefined;
    for (const name of names) if (isDeepStrictEqual(read(name), value)) this.#taken.add(name);
    return value;
  }

  /** The attributes that nothing has taken so far. */
  left(): [name: string, value: AttributeValue][] {
    return [...this.#attributes].filter(([name]) => !this.#taken.has(name));
  }
}

async function readText(name: string, text: string): Promise<JsonText | undefined> {
  if (!/^\s*[[{]/.test(text) && !(json_values.has(name) && text.startsWith('"'))) return undefined;
  // A larger text is refused where it is too deep.
  if (text.length <= SMALL_CHARS && isTooDeep(text)) return undefined;
  const read = await readJson(Buffer.from(text));
  return read === undefined ? undefined : { text, value: read.value };
}

/** A list whose items are all JSON texts. */
async function readList(name: string, list: AttributeValue, slice: TimeSlice): Promise<JsonText | undefined> {
  if (!json_values.has(name) || !Array.isArray(list) || list.length === 0) return undefined;
  const items: JsonText[] = [];
  for (const item of list as readonly AttributeValue[]) {
    const read = typeof item === 'string' ? await readText(name, item) : undefined;
    if (read === undefined) return undefined;
    items.push(read);
    if (slice.isOver()) await slice.next();
  }
  return { text: `[${items.map(({ text }) => text).join(',')}]`, value: items.map(({ value }) => value) };
}
