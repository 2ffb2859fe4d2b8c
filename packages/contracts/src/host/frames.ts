import { checkBlobCount, checkHeadSize, type FrameLimits, LARGE_HEAD_BYTES } from './frame-limits.ts';
import { readHead } from './head-check.ts';
import { jsonText } from './json-text.ts';
import { MalformedFrame } from './malformed-frame.ts';
import type { Head } from './protocol.ts';

/**
 * The wire form of `protocol.ts`, for both of its sides: `u32 total | u32 head | head (UTF-8 JSON) | blobs`, with lengths
 * big-endian. It loads no library, because one side shares its process with user code.
 */

export interface Frame {
  readonly head: Head;
  /** In the order of `head.blobs`; views into the bytes received. */
  readonly blobs: readonly Uint8Array[];
}

/** A frame whose head is not parsed yet. */
export interface PackedFrame {
  /** The head's JSON. */
  readonly json: Uint8Array;
  readonly rest: Uint8Array;
}

/** The most bytes of one frame: a state of this size is a mistake, a length beyond it is garbage. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** The `params` or `result` of a head, as JSON already, in pieces that are sent as they are. */
export class JsonBytes {
  readonly pieces: readonly Uint8Array[];

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
  }
}

const PREFIX = 8;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * One frame, as one piece of bytes unless its head holds `JsonBytes`. `head` comes without `blobs`: the lengths are taken
 * from the blobs themselves, which are copied, because they may be the user's.
 * @throws RangeError for a frame that is too large, or holds more than the limits of who reads it
 */
// oxlint-disable-next-line roadstead/two-positional -- the two parts of a frame, and what it may hold
export function encodeFrame(
  head: object,
  blobs: readonly Uint8Array[] = [],
  limits?: FrameLimits,
): readonly Uint8Array[] {
  if (limits !== undefined) checkBlobCount(blobs, limits);
  const { before, written, after } = headText(
    blobs.length === 0 ? head : { ...head, blobs: blobs.map((blob) => blob.length) },
  );
  const before_length = Buffer.byteLength(before);
  const text_length = before_length + lengthOf(written) + after.length;
  const size = PREFIX + text_length + lengthOf(blobs);
  if (size > MAX_FRAME_BYTES)
    throw new RangeError(`A frame of ${size} bytes is above the limit of ${MAX_FRAME_BYTES}`);
  // A `TextEncoder` takes ten times as long.
  const own = Buffer.allocUnsafe(size - lengthOf(written));
  own.writeUInt32BE(size - 4, 0);
  own.writeUInt32BE(text_length, 4);
  own.write(before, PREFIX);
  let at = PREFIX + before_length;
  const rest = at;
  at += own.write(after, at);
  if (limits !== undefined && text_length > LARGE_HEAD_BYTES)
    checkHeadSize([own.subarray(PREFIX, rest), ...written, own.subarray(rest, at)], limits);
  for (const blob of blobs) {
    own.set(blob, at);
    at += blob.length;
  }
  return written.length === 0 ? [own] : [own.subarray(0, rest), ...written, own.subarray(rest)];
}

/** `after` is ASCII. */
interface HeadText {
  readonly before: string;
  readonly written: readonly Uint8Array[];
  readonly after: string;
}

function headText(head: object): HeadText {
  for (const name of ['params', 'result'] as const) {
    const value: unknown = (head as Readonly<Partial<Record<typeof name, unknown>>>)[name];
    if (value instanceof JsonBytes) {
      const before = `${jsonText({ ...head, [name]: undefined }).slice(0, -1)},"${name}":`;
      return { before, written: value.pieces, after: '}' };
    }
  }
  return { before: jsonText(head), written: [], after: '' };
}

/**
 * Parses the JSON of a head at once.
 * @throws MalformedFrame
 */
export function parseHead(json: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(json));
  } catch (cause) {
    throw new MalformedFrame('a head is not JSON', { cause });
  }
}

/**
 * Makes a frame of its parsed head, unless it brings too many blobs.
 * @throws MalformedFrame
 */
// oxlint-disable-next-line roadstead/two-positional -- the two parts of a frame, and what it may have
export function unpackFrame({ rest }: PackedFrame, parsed: unknown, max_blobs = Infinity): Frame {
  const head = readHead(parsed, max_blobs);
  return { head, blobs: blobsOf(rest, head.blobs ?? []) };
}

/**
 * Turns a stream of bytes, cut anywhere, into frames. What belongs to a frame that is not complete is copied into its place
 * as it comes, so that the last piece of a large one takes no longer than the others.
 */
export class FrameDecoder {
  /** The beginning of a frame: as it came or, once its size is known, as long as the whole frame. */
  #frame: Uint8Array = new Uint8Array();
  #held = 0;

  /** Bytes of the frame that is not complete yet. */
  get held(): number {
    return this.#held;
  }

  /** The frames that are complete with these bytes. Throws a `MalformedFrame` when the bytes can't be frames. */
  push(bytes: Uint8Array): readonly PackedFrame[] {
    const frames: PackedFrame[] = [];
    let rest = bytes;
    while (this.#held > 0 && rest.length > 0) {
      const size = sizeAt(this.#frame.subarray(0, this.#held), 0);
      const taken = rest.subarray(0, (size ?? 4) - this.#held);
      this.#take(taken, size ?? 4);
      rest = rest.subarray(taken.length);
      if (size === this.#held) {
        frames.push(packedFrame(this.#frame));
        this.#frame = new Uint8Array();
        this.#held = 0;
      }
    }
    for (let size = sizeAt(rest, 0); size !== undefined && size <= rest.length; size = sizeAt(rest, 0)) {
      frames.push(packedFrame(rest.subarray(0, size)));
      rest = rest.subarray(size);
    }
    if (rest.length > 0) this.#take(rest, sizeAt(rest, 0) ?? 4);
    return frames;
  }

  #take(bytes: Uint8Array, size: number): void {
    if (this.#frame.length < size) {
      const frame = new Uint8Array(size);
      frame.set(this.#frame.subarray(0, this.#held));
      this.#frame = frame;
    }
    this.#frame.set(bytes, this.#held);
    this.#held += bytes.length;
  }
}

/** The size of the frame that begins at `at`, its prefix included; undefined while fewer than 4 bytes are there. */
function sizeAt(bytes: Uint8Array, at: number): number | undefined {
  if (bytes.length - at < 4) return undefined;
  const size = viewOf(bytes).getUint32(at) + 4;
  if (size < PREFIX || size > MAX_FRAME_BYTES) throw new MalformedFrame(`a frame claims ${size} bytes`);
  return size;
}

function packedFrame(frame: Uint8Array): PackedFrame {
  const end = PREFIX + viewOf(frame).getUint32(4);
  if (end > frame.length) throw new MalformedFrame('a head is longer than its frame');
  return { json: frame.subarray(PREFIX, end), rest: frame.subarray(end) };
}

function blobsOf(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  let at = 0;
  const blobs = lengths.map((length) => {
    const blob = bytes.subarray(at, at + length);
    at += length;
    return blob;
  });
  if (at !== bytes.length) throw new MalformedFrame('the blobs do not fill their frame');
  return blobs;
}

const lengthOf = (pieces: readonly Uint8Array[]) => pieces.reduce((sum, { length }) => sum + length, 0);

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
