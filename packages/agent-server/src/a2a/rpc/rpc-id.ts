import { TimeSlice } from '@roadstead/kit';

const STRETCH_BYTES = 262_144;
/** The longest way to write the key `id`, every character escaped, with its quotes. */
const MAX_KEY_BYTES = 14;
/** How many bytes behind the key are read: no client uses longer numbers. */
const MAX_NUMBER_BYTES = 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const opens = new Set([0x5b, 0x7b]);
const closes = new Set([0x5d, 0x7d]);

/**
 * The text of a call's numeric `id` as written in the body: read as numbers, `9007199254740993` and `1.0` would come
 * back changed. The body is known to be a JSON object; the last of several `id` members counts, as in `JSON.parse`.
 */
export async function numberText(body: Uint8Array): Promise<string | undefined> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const slice = new TimeSlice();
  let depth = 0;
  let string_at = -1;
  let found: string | undefined;
  let rest_at = STRETCH_BYTES;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (string_at >= 0) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) {
        if (depth === 1) found = numberBehind(bytes, string_at, at) ?? found;
        string_at = -1;
      }
    } else if (byte === QUOTE) string_at = at;
    else if (opens.has(byte)) depth += 1;
    else if (closes.has(byte)) depth -= 1;
    if (at < rest_at) continue;
    rest_at = at + STRETCH_BYTES;
    if (slice.isOver()) await slice.next();
  }
  return found;
}

/** The number that follows a string, if the string is the key `id`. */
function numberBehind(bytes: Buffer, from: number, to: number): string | undefined {
  if (to - from >= MAX_KEY_BYTES || JSON.parse(bytes.toString('utf8', from, to + 1)) !== 'id')
    return undefined;
  const behind = bytes.toString('latin1', to + 1, to + 1 + MAX_NUMBER_BYTES);
  return /^\s*:\s*(-?\d[\d.eE+-]*)[^\d.eE+-]/.exec(behind)?.[1];
}
