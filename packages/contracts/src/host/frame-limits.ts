/** How much the head of a large frame may hold. The engine reads no more, and a host that sends more is ended. */
export interface FrameLimits {
  readonly max_values: number;
  readonly max_keys: number;
  readonly max_depth: number;
  readonly max_key_bytes: number;
  readonly max_blobs: number;
}

/**
 * More than a state has that fits into a frame; empty lists alone would take a gigabyte of the memory of all agents. What
 * comes in a body is deeper once a host has put it into events and states; many more levels would take long to write.
 */
export const FRAME_LIMITS: FrameLimits = {
  max_values: 5_000_000,
  max_keys: 1_000_000,
  max_depth: 640,
  max_key_bytes: 1_048_576,
  // More than the channels of any state, or the writes of any step; each takes memory and a part of the turn of its frame.
  max_blobs: 100_000,
};

/** A head that is longer is a large one. */
export const LARGE_HEAD_BYTES = 262_144;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Counts what a JSON text without spaces holds, as its reader does.
 * @throws RangeError beyond a limit
 */
export function checkHeadSize(
  pieces: readonly Uint8Array[],
  { max_values, max_keys, max_depth, max_key_bytes }: FrameLimits,
): void {
  let values = 1;
  let keys = 0;
  let depth = 0;
  let longest_key = 0;
  let deepest = 0;
  let text_bytes = 0;
  let is_text = false;
  let is_escaped = false;
  let before = 0;
  for (const piece of pieces)
    for (const byte of piece) {
      if (is_text) {
        text_bytes += 1;
        if (is_escaped) is_escaped = false;
        else if (byte === BACKSLASH) is_escaped = true;
        else if (byte === QUOTE) is_text = false;
        continue;
      }
      if (byte === QUOTE) {
        is_text = true;
        text_bytes = 0;
      } else if (byte === COMMA) values += 1;
      else if (byte === COLON) {
        keys += 1;
        longest_key = Math.max(longest_key, text_bytes);
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth += 1;
        deepest = Math.max(deepest, depth);
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        depth -= 1;
        if (before !== OPEN_LIST && before !== OPEN_OBJECT) values += 1;
      }
      before = byte;
    }
  if (values > max_values) throw beyond(`more than ${max_values} values`);
  if (keys > max_keys) throw beyond(`more than ${max_keys} keys`);
  if (deepest > max_depth) throw beyond(`more than ${max_depth} levels`);
  if (longest_key > max_key_bytes) throw beyond(`a key of more than ${max_key_bytes} bytes`);
}

/** @throws RangeError beyond the limit */
export function checkBlobCount(blobs: readonly Uint8Array[], { max_blobs }: FrameLimits): void {
  if (blobs.length > max_blobs) throw beyond(`more than ${max_blobs} blobs`);
}

const beyond = (what: string) => new RangeError(`A frame with ${what} is above the limit`);
