import type { TimeSlice } from '@roadstead/kit';
import { readJson } from '../ingest/sent-json-codec.ts';
import type { Attributes, AttributeValue } from './span.ts';

/** A text that is JSON: what it means, and how it was written. */
export interface JsonText {
  readonly text: string;
  readonly value: unknown;
}

/** Attributes as rules read them: what nobody asked for is left over. */
export class AttributeReader {
  readonly #attributes: Attributes;
  readonly #texts: ReadonlyMap<string, JsonText>;
  readonly #taken = new Set<string>();

  private constructor(attributes: Attributes, texts: ReadonlyMap<string, JsonText>) {
    this.#attributes = attributes;
    this.#texts = texts;
  }

  static async of(attributes: Attributes, slice: TimeSlice): Promise<AttributeReader> {
    const texts = new Map<string, JsonText>();
    for (const [name, text] of attributes) {
      if (typeof text !== 'string' || !/^\s*[[{]/.test(text)) continue;
      const read = await readJson(Buffer.from(text));
      if (read !== undefined) texts.set(name, { text, value: read.value });
      if (slice.isOver()) await slice.next();
    }
    return new AttributeReader(attributes, texts);
  }

  /** The first of these that is there; all of them count as asked for. */
  value(...names: readonly string[]): AttributeValue | undefined {
    for (const name of names) this.#taken.add(name);
    const found = names.find((name) => (this.#attributes.get(name) ?? null) !== null);
    return found === undefined ? undefined : this.#attributes.get(found);
  }

  text(...names: readonly string[]): string | undefined {
    const value = this.value(...names);
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /** Also where it came as text. */
  number(...names: readonly string[]): number | undefined {
    const value = this.value(...names);
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  }

  /** The first that is there: as it was written where it is JSON, else written as JSON. */
  json(...names: readonly string[]): JsonText | undefined {
    for (const name of names) this.#taken.add(name);
    const found = names.find((name) => !isBlank(this.#attributes.get(name)));
    if (found === undefined) return undefined;
    const value = this.#attributes.get(found) ?? null;
    return this.#texts.get(found) ?? { text: JSON.stringify(value), value };
  }

  /** Those that begin so, by the rest of their names. */
  under(prefix: string): [rest: string, value: AttributeValue][] {
    const found = [...this.#attributes].filter(([name]) => name.startsWith(prefix));
    for (const [name] of found) this.#taken.add(name);
    return found.map(([name, value]) => [name.slice(prefix.length), value]);
  }

  /** What nothing has asked for so far. */
  left(): [name: string, value: AttributeValue][] {
    return [...this.#attributes].filter(([name]) => !this.#taken.has(name));
  }

  /** What a text means where it is JSON, else the value itself. */
  meaning(name: string): unknown {
    this.#taken.add(name);
    return this.#texts.get(name)?.value ?? this.#attributes.get(name);
  }
}

const isBlank = (value: AttributeValue | undefined) => value === undefined || value === null || value === '';
