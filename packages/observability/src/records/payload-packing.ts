import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import {
  constants,
  createZstdDecompress,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';
import { TimeSlice } from '@roadstead/kit';
import type { RunOperation } from './run-operation.ts';

/**
 * Payload bytes as they are stored: either JSON or a zstd frame, verbatim once unpacked. No JSON text begins with a
 * frame's magic number.
 */

/** A payload as it is stored, in pieces of moderate size. */
export interface StoredPayload {
  /** The whole payload, where it is small. */
  readonly packed: Uint8Array | undefined;
  pieces(): AsyncIterable<Uint8Array>;
}

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** The size below which the cost of a frame, in time more than in bytes, isn't worth it. */
const WORTH_PACKING_BYTES = 1024;
/** The size from which another thread packs. */
const LARGE_BYTES = 65_536;
const packLarge = promisify(zstdCompress);
const unpackOnThread = promisify(zstdDecompress);

/**
 * Packs payloads before the operations wait for their transaction, so that packing and writing overlap.
 * @returns the same operations with packed payloads.
 */
export async function packed(operations: readonly RunOperation[]): Promise<RunOperation[]> {
  const slice = new TimeSlice();
  const result: RunOperation[] = [];
  for (const operation of operations) {
    const entries = Object.entries(operation.payloads);
    if (!entries.some(([, json]) => json.length >= WORTH_PACKING_BYTES)) {
      result.push(operation);
      continue;
    }
    const payloads: Record<string, Uint8Array> = {};
    for (const [kind, json] of entries) {
      payloads[kind] = await packOne(json);
      if (slice.isOver()) await slice.next();
    }
    result.push({ ...operation, payloads });
  }
  return result;
}

function pack(json: Uint8Array): Uint8Array {
  if (json.length < WORTH_PACKING_BYTES) return json;
  return smaller(zstdCompressSync(json, optionsFor(json)), json);
}

/** Packs one payload, a large one on another thread. */
export async function packOne(json: Uint8Array): Promise<Uint8Array> {
  return json.length < LARGE_BYTES ? pack(json) : packAside(json);
}

async function packAside(json: Uint8Array): Promise<Uint8Array> {
  return smaller(await packLarge(json, optionsFor(json)), json);
}

const smaller = (frame: Uint8Array, json: Uint8Array) => (frame.length < json.length * 0.9 ? frame : json);

/** Knowing the size, zstd sets up no more than it needs. */
function optionsFor(json: Uint8Array) {
  return { pledgedSrcSize: json.length, params: { [constants.ZSTD_c_compressionLevel]: 1 } };
}

/** Unpacks immediately where that is quick, otherwise on another thread. */
export async function unpack(stored: Uint8Array): Promise<Uint8Array> {
  return unpackAtOnce(stored) ?? unpackLarge(stored);
}

/** Unpacks immediately; undefined where that takes longer. */
export const unpackAtOnce = (stored: Uint8Array): Uint8Array | undefined => unpackSmall(stored, LARGE_BYTES);

/** Unpacks a payload in pieces. */
export async function* unpackPieces(stored: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = stored[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return;
  const second = await pieces.next();
  if (second.done === true) {
    yield await unpack(first.value);
    return;
  }
  const all = (async function* () {
    yield* [first.value, second.value];
    yield* { [Symbol.asyncIterator]: () => pieces };
  })();
  yield* isFrame(first.value) ? unpackStream(all) : all;
}

/** The whole payload, unpacked. */
export async function wholePayload(payload: StoredPayload): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of unpackPieces(payload.pieces())) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* unpackStream(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacking = createZstdDecompress();
  // An error on either side ends the other, and the loop throws it.
  pipeline(packed, unpacking).catch(() => undefined);
  for await (const piece of unpacking) yield piece as Uint8Array;
}

/** Unpacks up to so many bytes; undefined where it is larger. */
function unpackSmall(stored: Uint8Array, max_bytes: number): Uint8Array | undefined {
  if (!isFrame(stored)) return stored.length > max_bytes ? undefined : stored;
  if (stored.length > max_bytes) return undefined;
  try {
    return zstdDecompressSync(stored, { maxOutputLength: max_bytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

async function unpackLarge(stored: Uint8Array): Promise<Uint8Array> {
  return isFrame(stored) ? unpackOnThread(stored) : stored;
}

const isFrame = (stored: Uint8Array) => MAGIC.equals(stored.subarray(0, MAGIC.length));
