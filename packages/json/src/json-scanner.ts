import { invalidJson, type JsonLimits, tooLarge } from './json-limits.ts';

/**
 * Scans the bytes of a JSON text once: counts its contents against the limits, and stops where a reader can cut it
 * into pieces. It knows brackets, commas, colons and strings; whether the rest is valid shows when a piece is parsed.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LAST_SPACE = 0x20;

/** The bytes that have a meaning outside of strings. */
const isToken = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) isToken[byte] = 1;

/** The scan pauses after this many bytes. */
const STRETCH_BYTES = 1_048_576;
/** No number and no indentation is this long. */
const MAX_GAP_BYTES = 65_536;

/** An open list or object. The first level represents the text as a whole, as a list of one value. */
export interface Level {
  readonly is_list: boolean;
  readonly opened_at: number;
  /** The last comma; -1 before the first. */
  comma_at: number;
}

export type Stop =
  /** A comma of the innermost level. */
  | { readonly kind: 'comma'; readonly at: number }
  /** The bracket that closed the innermost level. */
  | { readonly kind: 'close'; readonly at: number }
  /** The quote that ended a long string. */
  | { readonly kind: 'string'; readonly from: number; readonly at: number }
  /** A place to pause, not to cut. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'end'; readonly at: number };

export class JsonScanner {
  readonly levels: Level[] = [{ is_list: true, opened_at: -1, comma_at: -1 }];
  readonly #bytes: Uint8Array;
  readonly #limits: JsonLimits;
  #at = 0;
  /** The opening quote of the string that the scan is in. */
  #string_at: number | undefined;
  /** The offset behind the last token or string. */
  #token_end = 0;
  #last_was_open = false;
  #values = 0;
  #keys = 0;
  #piece_ends: number;

  constructor(bytes: Uint8Array, limits: JsonLimits) {
    if (bytes.length > limits.max_bytes) throw tooLarge(`is larger than ${limits.max_bytes} bytes`);
    this.#bytes = bytes;
    this.#limits = limits;
    this.#piece_ends = limits.piece_bytes;
    this.#count();
  }

  /** The number of values so far. */
  get values(): number {
    return this.#values;
  }

  /** Continues to the next stop. The end of a level is a stop if at most `kept` levels were open. */
  next(kept: number): Stop {
    const pause_at = Math.min(this.#bytes.length, this.#at + STRETCH_BYTES);
    while (this.#at < pause_at) {
      const stop = this.#string_at === undefined ? this.#token(pause_at, kept) : this.#text(pause_at);
      if (stop !== undefined) return stop;
    }
    if (this.#at < this.#bytes.length) return { kind: 'rest' };
    this.#checkGap(this.#at);
    if (this.#string_at !== undefined || this.levels.length !== 1) throw invalidJson();
    return { kind: 'end', at: this.#at };
  }

  /** Continues to the end of the string, or to where the scan pauses. */
  #text(pause_at: number): Stop | undefined {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < pause_at && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    if (at >= pause_at) {
      this.#at = at;
      return undefined;
    }
    this.#at = at + 1;
    const from = this.#string_at ?? 0;
    this.#string_at = undefined;
    this.#token_end = at + 1;
    if (at - from <= this.#limits.part_bytes) return undefined;
    this.#piece_ends = at + this.#limits.piece_bytes;
    return { kind: 'string', from, at };
  }

  #token(pause_at: number, kept: number): Stop | undefined {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < pause_at && isToken[bytes[at] ?? 0] === 0) at += 1;
    if (at >= pause_at) {
      this.#at = at;
      this.#checkGap(at);
      return undefined;
    }
    this.#checkGap(at);
    const stop = this.#read(bytes[at] ?? 0, at, kept);
    this.#at = at + 1;
    this.#token_end = at + 1;
    return stop;
  }

  #read(token: number, at: number, kept: number): Stop | undefined {
    const { levels } = this;
    const was_open = this.#last_was_open;
    this.#last_was_open = false;
    switch (token) {
      case QUOTE:
        this.#string_at = at;
        return undefined;
      case COLON:
        this.#keys += 1;
        if (this.#keys > this.#limits.max_keys)
          throw tooLarge(`holds more than ${this.#limits.max_keys} keys`);
        return undefined;
      case COMMA:
        return this.#comma(at);
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (levels.length > this.#limits.max_depth)
          throw tooLarge(`is nested deeper than ${this.#limits.max_depth} levels`);
        levels.push({ is_list: token === OPEN_LIST, opened_at: at, comma_at: -1 });
        this.#last_was_open = true;
        return undefined;
      default: {
        const level = levels.length > 1 ? levels.pop() : undefined;
        if (level?.is_list !== (token === CLOSE_LIST)) throw invalidJson();
        if (!was_open || !this.#isBlank(at)) this.#count();
        if (levels.length >= kept) return undefined;
        this.#piece_ends = at + this.#limits.piece_bytes;
        return { kind: 'close', at };
      }
    }
  }

  #comma(at: number): Stop | undefined {
    const level = this.levels.at(-1);
    if (level === undefined || this.levels.length === 1) throw invalidJson();
    this.#count();
    level.comma_at = at;
    if (at < this.#piece_ends) return undefined;
    this.#piece_ends = at + this.#limits.piece_bytes;
    return { kind: 'comma', at };
  }

  /** Counts one more value: behind each comma, and the first of each level that is not empty. */
  #count(): void {
    this.#values += 1;
    if (this.#values > this.#limits.max_values)
      throw tooLarge(`holds more than ${this.#limits.max_values} values`);
  }

  #checkGap(at: number): void {
    if (this.#string_at === undefined && at - this.#token_end > MAX_GAP_BYTES)
      throw tooLarge(`has more than ${MAX_GAP_BYTES} bytes of space or of one number`);
  }

  #isBlank(end: number): boolean {
    for (let at = this.#token_end; at < end; at += 1) if ((this.#bytes[at] ?? 0) > LAST_SPACE) return false;
    return true;
  }
}
