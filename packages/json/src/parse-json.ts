import { type BodyReservation, TimeSlice } from '@roadstead/kit';
import { JSON_LIMITS, type JsonLimits } from './json-limits.ts';
import { JsonPieces } from './json-pieces.ts';
import { JsonScanner } from './json-scanner.ts';

const SMALL_BYTES = 65_536;

/** The memory that each value takes, roughly, beside its text. */
const VALUE_BYTES = 48;
const MANY_VALUES = 100_000;

export interface ParseOptions extends Partial<JsonLimits> {
  /** Counts the memory of the value before it is created. */
  readonly held?: BodyReservation | undefined;
}

/**
 * The value of a JSON text, as `JSON.parse` returns it. A text that is too deep, too large or has too many values is
 * refused before anything is created from it, and a large text is parsed piece by piece, so that no client's body
 * holds the event loop.
 * @throws Problem `too_large` beyond the limits, `malformed` where it isn't JSON in UTF-8, `limit` where the budget
 * is used up.
 */
export async function parseJson(text: Uint8Array, { held, ...limits }: ParseOptions = {}): Promise<unknown> {
  const all = { ...JSON_LIMITS, ...limits };
  const bytes = withoutMark(text);
  const slice = await sliceFor(bytes);
  const values = await countValues(bytes, all, slice);
  held?.take(values * VALUE_BYTES);
  if (values < MANY_VALUES) return build(bytes, all, slice);
  const built = largeOnes.then(() => build(bytes, all, slice));
  largeOnes = built.then(forget, forget);
  return built;
}

/**
 * Large texts are parsed one after the other: their values are not all in memory at once, and no text ends later for
 * it.
 */
let largeOnes: Promise<void> = Promise.resolve();
const forget = () => undefined;

async function build(bytes: Uint8Array, limits: JsonLimits, slice: TimeSlice): Promise<unknown> {
  const scanner = new JsonScanner(bytes, limits);
  const pieces = new JsonPieces({ bytes, part_bytes: limits.part_bytes }, scanner.levels);
  for (;;) {
    const stop = scanner.next(pieces.kept);
    if (stop.kind === 'end') {
      const value = pieces.finish(stop.at);
      // The caller has a turn of its own for what comes next.
      if (bytes.length > SMALL_BYTES) await slice.next();
      return value;
    }
    if (stop.kind === 'string') await pieces.addLongString(stop, slice);
    else if (stop.kind === 'comma') pieces.addPiece(stop.at);
    else if (stop.kind === 'close') pieces.close(stop.at);
    if (slice.isOver()) await slice.next();
  }
}

/**
 * Only counts, for callers that read the text in another way.
 * @returns the number of values in the text
 */
export async function checkJson(text: Uint8Array, limits: Partial<JsonLimits> = {}): Promise<number> {
  const bytes = withoutMark(text);
  return countValues(bytes, { ...JSON_LIMITS, ...limits }, await sliceFor(bytes));
}

async function countValues(bytes: Uint8Array, limits: JsonLimits, slice: TimeSlice): Promise<number> {
  const scanner = new JsonScanner(bytes, limits);
  while (scanner.next(0).kind !== 'end') if (slice.isOver()) await slice.next();
  return scanner.values;
}

/** Some clients begin a text with a byte order mark. */
export function withoutMark(text: Uint8Array): Uint8Array {
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? text.subarray(3) : text;
}

/** Many large texts that arrive together take turns from the beginning; a small one need not wait. */
async function sliceFor(bytes: Uint8Array): Promise<TimeSlice> {
  const slice = new TimeSlice();
  if (bytes.length > SMALL_BYTES) await slice.next();
  return slice;
}
