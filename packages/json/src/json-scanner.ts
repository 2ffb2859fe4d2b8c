import { invalidJson, type JsonLimits, tooLarge } from './json-limits.ts';
import {
  CLOSE_LIST,
  COLON,
  COMMA,
  continueString,
  isToken,
  OPEN_LIST,
  OPEN_OBJECT,
  type OpenString,
  QUOTE,
  stringEnd,
  type StringEnd,
} from './json-tokens.ts';

/**
 * Scans the bytes of a JSON text once: counts its contents against the limits, and stops where a reader can cut it
 * into pieces. It knows brackets, commas, colons and strings; whether the rest is valid shows when a piece is parsed.
 */

const LAST_SPACE = 0x20;

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
  /** The string in which the scan has paused. */
  #open: (OpenString & { readonly from: number }) | undefined;
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
    if (this.#open !== undefined) {
      const stop = this.#text(this.#open.from, continueString(this.#bytes, this.#open));
      if (stop !== undefined) return stop;
    }
    while (this.#at < pause_at) {
      const stop = this.#token(pause_at, kept);
      if (stop !== undefined) return stop;
    }
    if (this.#at < this.#bytes.length) return { kind: 'rest' };
    this.#checkGap(this.#at);
    if (this.levels.length !== 1) throw invalidJson();
    return { kind: 'end', at: this.#at };
  }

  /** Goes on behind a string, unless the search for its end has paused. */
  #text(from: number, end: StringEnd): Stop | undefined {
    if (end === undefined) throw invalidJson();
    if (typeof end === 'object') {
      this.#open = { from, ...end };
      return { kind: 'rest' };
    }
    this.#open = undefined;
    this.#at = end;
    this.#token_end = end;
    const at = end - 1;
    if (at - from <= this.#limits.part_bytes) return undefined;
    this.#piece_ends = at + this.#limits.piece_bytes;
    return { kind: 'string', from, at };
  }

  #token(pause_at: number, kept: number): Stop | undefined {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < pause_at && isToken[bytes[at] ?? 0] === 0) at += 1;
    this.#checkGap(at);
    this.#at = at;
    if (at >= pause_at) return undefined;
    const token = bytes[at] ?? 0;
    if (token === QUOTE) {
      this.#last_was_open = false;
      return this.#text(at, stringEnd(bytes, at));
    }
    const stop = this.#read(token, at, kept);
    this.#at = at + 1;
    this.#token_end = at + 1;
    return stop;
  }

  #read(token: number, at: number, kept: number): Stop | undefined {
    const { levels } = this;
    const was_open = this.#last_was_open;
    this.#last_was_open = false;
    switch (token) {
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
    if (at - this.#token_end > MAX_GAP_BYTES)
      throw tooLarge(`has more than ${MAX_GAP_BYTES} bytes of space or of one number`);
  }

  #isBlank(end: number): boolean {
    for (let at = this.#token_end; at < end; at += 1) if ((this.#bytes[at] ?? 0) > LAST_SPACE) return false;
    return true;
  }
}
