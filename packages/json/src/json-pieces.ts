import { invalidJson, tooLarge } from './json-limits.ts';
import type { Level } from './json-scanner.ts';
import { BACKSLASH, isEscaped } from './json-tokens.ts';
import type { TimeSlice } from '@roadstead/kit';

const LETTER_U = 0x75;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

type Container = unknown[] | Record<string, unknown>;

/** An open list or object whose value has been created although its end has not been read. */
interface OpenContainer {
  readonly is_list: boolean;
  readonly value: Container;
  /** The offset behind the part that `value` already holds. */
  from: number;
  has_some: boolean;
}

/** The value of a JSON text, assembled from pieces that `JSON.parse` reads. */
export class JsonPieces {
  readonly #bytes: Uint8Array;
  readonly #part_bytes: number;
  readonly #levels: readonly Level[];
  readonly #root: unknown[] = [];
  readonly #kept: OpenContainer[];

  constructor(text: { readonly bytes: Uint8Array; readonly part_bytes: number }, levels: readonly Level[]) {
    this.#bytes = text.bytes;
    this.#part_bytes = text.part_bytes;
    this.#levels = levels;
    this.#kept = [{ is_list: true, value: this.#root, from: 0, has_some: false }];
  }

  /** How many levels, from the outermost one, have their value already. */
  get kept(): number {
    return this.#kept.length;
  }

  /** Adds the text before the comma at `at`, which belongs to the innermost level. */
  addPiece(at: number): void {
    const level = this.#descend();
    this.#add(level, at);
    level.from = at;
  }

  /** Adds the rest of the level that ended at `at`. */
  close(at: number): void {
    const level = this.#kept.pop();
    if (level !== undefined) this.#add(level, at);
    this.#top().from = at + 1;
  }

  async addLongString(at: { readonly from: number; readonly at: number }, slice: TimeSlice): Promise<void> {
    const level = this.#descend();
    const comma_at = this.#addWhole(level, this.#levels.at(-1));
    if (!level.is_list && isBlank(withoutComma(level, this.#text(comma_at, at.from))))
      throw tooLarge(`has a key of more than ${this.#part_bytes} bytes`);
    const key = this.#key(level, comma_at, at.from);
    const parts: string[] = [];
    for (let from = at.from + 1; from < at.at;) {
      const to = this.#endOfPart(from, at.at);
      parts.push(parse(`"${this.#text(from, to)}"`) as string);
      from = to;
      if (slice.isOver()) await slice.next();
    }
    // Flattened in a turn of its own: whoever first reads a string that is only a chain of parts would flatten it at
    // a bad time.
    if (parts.length > 1) await slice.next();
    put(level, key, parts.join(''));
    level.from = at.at + 1;
  }

  finish(at: number): unknown {
    this.#add(this.#top(), at);
    if (this.#root.length !== 1) throw invalidJson();
    return this.#root[0];
  }

  /** Creates the values of all open levels, and returns the innermost one. */
  #descend(): OpenContainer {
    for (let depth = this.#kept.length; depth < this.#levels.length; depth += 1) {
      const parent = this.#top();
      const { is_list, opened_at } = this.#levels[depth] as Level;
      const comma_at = this.#addWhole(parent, this.#levels[depth - 1]);
      const value: Container = is_list ? [] : {};
      put(parent, this.#key(parent, comma_at, opened_at), value);
      this.#kept.push({ is_list, value, from: opened_at + 1, has_some: false });
    }
    return this.#top();
  }

  /** Adds everything before the last comma, and returns its offset: what follows it is still open. */
  #addWhole(kept: OpenContainer, level: Level | undefined): number {
    const comma_at = Math.max(level?.comma_at ?? -1, kept.from);
    this.#add(kept, comma_at);
    return comma_at;
  }

  /** Takes in the values up to `to`, if there are any. */
  #add(level: OpenContainer, to: number): void {
    const text = this.#text(level.from, to);
    if (isBlank(text)) return;
    const values = withoutComma(level, text);
    if (isBlank(values)) throw invalidJson();
    if (level.is_list) for (const value of parse(`[${values}]`) as unknown[]) put(level, '', value);
    else for (const [key, value] of Object.entries(parse(`{${values}}`) as object)) put(level, key, value);
  }

  /** The key of the value that begins at `to`; of a list, the empty text. */
  #key(level: OpenContainer, from: number, to: number): string {
    const text = withoutComma(level, this.#text(from, to));
    if (level.is_list) {
      if (!isBlank(text)) throw invalidJson();
      return '';
    }
    return Object.keys(parse(`{${text} null}`) as object)[0] ?? '';
  }

  #top(): OpenContainer {
    return this.#kept.at(-1) as OpenContainer;
  }

  #text(from: number, to: number): string {
    try {
      return decoder.decode(this.#bytes.subarray(from, to));
    } catch (cause) {
      throw invalidJson(cause);
    }
  }

  /** A part never ends within a character or an escape sequence. */
  #endOfPart(from: number, end: number): number {
    let to = from + this.#part_bytes;
    if (to >= end) return end;
    for (let back = 0; back < 3 && ((this.#bytes[to] ?? 0) & 0xc0) === 0x80; back += 1) to -= 1;
    for (let at = to - 1; at >= to - 5; at -= 1) {
      if (this.#bytes[at] !== BACKSLASH || isEscaped(this.#bytes, at, { from })) continue;
      const length = this.#bytes[at + 1] === LETTER_U ? 6 : 2;
      return at + length > to ? at : to;
    }
    return to;
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (cause) {
    throw invalidJson(cause);
  }
}

/** A comma must come first where values were added before. */
function withoutComma(level: OpenContainer, text: string): string {
  if (!level.has_some) return text;
  const comma_at = text.indexOf(',');
  if (comma_at < 0 || !isBlank(text.slice(0, comma_at))) throw invalidJson();
  return text.slice(comma_at + 1);
}

const isBlank = (text: string) => /^[ \t\r\n]*$/.test(text);

function put(level: OpenContainer, key: string, value: unknown): void {
  level.has_some = true;
  if (Array.isArray(level.value)) level.value.push(value);
  else if (key === '__proto__')
    Object.defineProperty(level.value, key, { value, writable: true, enumerable: true, configurable: true });
  else level.value[key] = value;
}
