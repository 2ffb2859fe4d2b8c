import type { Head } from './protocol.ts';

/**
 * The wire form of `protocol.ts`, for both of its sides: `u32 total | u32 head | head (UTF-8 JSON) | blobs`.
 * Depends on nothing, because one side shares its process with user code.
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

/** What one frame may hold, in bytes: a state of this size is a mistake, a length beyond it is garbage. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** The `params` or `result` of a head, as JSON already. */
export class JsonBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

const PREFIX = 8;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** One frame as one piece of bytes. `head` comes without `blobs`: the lengths are taken from the blobs themselves. */
export function encodeFrame(head: object, blobs: readonly Uint8Array[] = []): Uint8Array {
  const text = headText(blobs.length === 0 ? head : { ...head, blobs: blobs.map((blob) => blob.length) });
  const size = PREFIX + text.length + blobs.reduce((sum, blob) => sum + blob.length, 0);
  if (size > MAX_FRAME_BYTES)
    throw new RangeError(`A frame of ${size} bytes is above the limit of ${MAX_FRAME_BYTES}`);
  const frame = new Uint8Array(size);
  const view = new DataView(frame.buffer);
  view.setUint32(0, size - 4);
  view.setUint32(4, text.length);
  frame.set(text, PREFIX);
  let at = PREFIX + text.length;
  for (const blob of blobs) {
    frame.set(blob, at);
    at += blob.length;
  }
  return frame;
}

function headText(head: object): Uint8Array {
  const written = Object.entries(head).find(([, value]) => value instanceof JsonBytes);
  if (written === undefined) return encoder.encode(JSON.stringify(head));
  const [name, { bytes }] = written as [string, JsonBytes];
  const before = encoder.encode(`${JSON.stringify({ ...head, [name]: undefined }).slice(0, -1)},"${name}":`);
  const text = new Uint8Array(before.length + bytes.length + 1);
  text.set(before);
  text.set(bytes, before.length);
  text[text.length - 1] = '}'.charCodeAt(0);
  return text;
}

/** The head's JSON, parsed at once. */
export const parseHead = (json: Uint8Array): unknown => JSON.parse(decoder.decode(json));

/** A frame of its parsed head. Throws an `Error` when the bytes can't be a frame. */
export function unpackFrame({ rest }: PackedFrame, head: unknown): Frame {
  if (typeof head !== 'object' || head === null) throw new Error('A head is not an object');
  return { head: head as Head, blobs: blobsOf(rest, (head as Head).blobs ?? []) };
}

/** Turns a stream of bytes, cut anywhere, into frames. Pieces are joined once, when a frame is complete. */
export class FrameDecoder {
  readonly #pieces: Uint8Array[] = [];
  #held = 0;
  #needed = 4;

  /** Bytes of the frame that is not complete yet. */
  get held(): number {
    return this.#held;
  }

  /** The frames that are complete with these bytes. Throws an `Error` when the bytes can't be frames. */
  push(bytes: Uint8Array): readonly PackedFrame[] {
    this.#pieces.push(bytes);
    this.#held += bytes.length;
    if (this.#held < this.#needed) return [];
    const all = this.#joined();
    const frames: PackedFrame[] = [];
    let at = 0;
    for (;;) {
      const size = sizeAt(all, at);
      this.#needed = size ?? 4;
      if (size === undefined || all.length - at < size) break;
      frames.push(packedFrame(all.subarray(at, at + size)));
      at += size;
    }
    this.#keep(all.subarray(at));
    return frames;
  }

  #joined(): Uint8Array {
    const [first] = this.#pieces;
    if (first !== undefined && this.#pieces.length === 1) return first;
    const all = new Uint8Array(this.#held);
    let at = 0;
    for (const piece of this.#pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }

  #keep(rest: Uint8Array): void {
    this.#pieces.length = 0;
    this.#held = rest.length;
    if (rest.length > 0) this.#pieces.push(rest);
  }
}

/** The size of the frame that begins at `at`, its prefix included; undefined while fewer than 4 bytes are there. */
function sizeAt(bytes: Uint8Array, at: number): number | undefined {
  if (bytes.length - at < 4) return undefined;
  const size = viewOf(bytes).getUint32(at) + 4;
  if (size < PREFIX || size > MAX_FRAME_BYTES) throw new Error(`A frame claims ${size} bytes`);
  return size;
}

function packedFrame(frame: Uint8Array): PackedFrame {
  const end = PREFIX + viewOf(frame).getUint32(4);
  if (end > frame.length) throw new Error('A head is longer than its frame');
  return { json: frame.subarray(PREFIX, end), rest: frame.subarray(end) };
}

function blobsOf(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  let at = 0;
  const blobs = lengths.map((length) => {
    const blob = bytes.subarray(at, at + length);
    at += length;
    return blob;
  });
  if (at !== bytes.length) throw new Error('The blobs do not fill their frame');
  return blobs;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
