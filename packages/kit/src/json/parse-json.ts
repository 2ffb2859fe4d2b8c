import type { BodyReservation } from '../admission/held-bodies.ts';
import { JSON_LIMITS, type JsonLimits } from './json-limits.ts';
import { JsonPieces } from './json-pieces.ts';
import { JsonScanner } from './json-scanner.ts';
import { TimeSlice } from './time-slice.ts';

const SMALL_BYTES = 65_536;

/** What the values of a text take in memory, each about so much beside its text. */
const VALUE_BYTES = 48;
const MANY_VALUES = 100_000;

export interface ParseOptions extends Partial<JsonLimits> {
  /** Counts what the value will take, before it is made. */
  readonly held?: BodyReservation | undefined;
}

/**
 * The value of a JSON text, as `JSON.parse` gives it. What is too deep, too large or too much is refused before anything
 * is made of it, and a large text is parsed piece by piece, so that no client's body holds the event loop.
 *
 * @throws Problem `too_large` beyond the limits, `malformed` where it isn't JSON in UTF-8, `limit` where the budget is
 * used up.
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

/** One after the other: what they make is not all in memory at once, and none of them is later for it. */
let largeOnes: Promise<void> = Promise.resolve();
const forget = () => undefined;

async function build(bytes: Uint8Array, limits: JsonLimits, slice: TimeSlice): Promise<unknown> {
  const scanner = new JsonScanner(bytes, limits);
  const pieces = new JsonPieces({ bytes, part_bytes: limits.part_bytes }, scanner.levels);
  for (;;) {
    const stop = scanner.next(pieces.kept);
    if (stop.kind === 'end') {
      const value = pieces.finish(stop.at);
      // Whoever gets it has a turn for what comes next.
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
 * Only counts, for whoever reads the text in another way.
 * @returns how many values the text holds.
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
function withoutMark(text: Uint8Array): Uint8Array {
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? text.subarray(3) : text;
}

/** Many large texts that come together take turns from the beginning; a small one need not wait. */
async function sliceFor(bytes: Uint8Array): Promise<TimeSlice> {
  const slice = new TimeSlice();
  if (bytes.length > SMALL_BYTES) await slice.next();
  return slice;
}
