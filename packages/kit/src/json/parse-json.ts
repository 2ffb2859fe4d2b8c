import { JSON_LIMITS, type JsonLimits } from './json-limits.ts';
import { JsonPieces } from './json-pieces.ts';
import { JsonScanner } from './json-scanner.ts';
import { TimeSlice } from './time-slice.ts';

const SMALL_BYTES = 65_536;

/**
 * The value of a JSON text, as `JSON.parse` gives it. What is too deep, too large or too much is refused before it is
 * parsed, and a large text is parsed piece by piece, so that no client's body holds the event loop.
 *
 * @throws Problem `too_large` beyond the limits, `malformed` where it isn't JSON in UTF-8.
 */
export async function parseJson(text: Uint8Array, limits: Partial<JsonLimits> = {}): Promise<unknown> {
  const all = { ...JSON_LIMITS, ...limits };
  const bytes = withoutMark(text);
  const scanner = new JsonScanner(bytes, all);
  const pieces = new JsonPieces({ bytes, part_bytes: all.part_bytes }, scanner.levels);
  const slice = await sliceFor(bytes);
  for (;;) {
    const stop = scanner.next(pieces.kept);
    if (stop.kind === 'end') return pieces.finish(stop.at);
    if (stop.kind === 'string') await pieces.addLongString(stop, slice);
    else if (stop.kind === 'comma') pieces.addPiece(stop.at);
    else if (stop.kind === 'close') pieces.close(stop.at);
    if (slice.isOver()) await slice.next();
  }
}

/** Only counts, for whoever reads the text in another way. */
export async function checkJson(text: Uint8Array, limits: Partial<JsonLimits> = {}): Promise<void> {
  const bytes = withoutMark(text);
  const scanner = new JsonScanner(bytes, { ...JSON_LIMITS, ...limits });
  const slice = await sliceFor(bytes);
  while (scanner.next(0).kind !== 'end') if (slice.isOver()) await slice.next();
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
