import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { RunOperation } from '../ingest/run-operation.ts';

/**
 * Payload bytes as they are stored: either JSON or a zstd frame, verbatim once unpacked. No JSON text begins with a
 * frame's magic number.
 */

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** A frame's own cost, in time more than in bytes, isn't worth it below. */
const WORTH_PACKING_BYTES = 1024;
/** Packed on another thread from here on. */
const LARGE_BYTES = 65_536;
const packLarge = promisify(zstdCompress);

/**
 * Before the operations wait for their transaction, so that packing and writing overlap.
 * @returns the same operations with packed payloads.
 */
export async function packed(operations: readonly RunOperation[]): Promise<RunOperation[]> {
  const result: RunOperation[] = [];
  for (const operation of operations) {
    const entries = Object.entries(operation.payloads);
    if (!entries.some(([, json]) => json.length >= WORTH_PACKING_BYTES)) {
      result.push(operation);
      continue;
    }
    const payloads: Record<string, Uint8Array> = {};
    for (const [kind, json] of entries)
      payloads[kind] = json.length < LARGE_BYTES ? pack(json) : await packAside(json);
    result.push({ ...operation, payloads });
  }
  return result;
}

function pack(json: Uint8Array): Uint8Array {
  if (json.length < WORTH_PACKING_BYTES) return json;
  return smaller(zstdCompressSync(json, optionsFor(json)), json);
}

async function packAside(json: Uint8Array): Promise<Uint8Array> {
  return smaller(await packLarge(json, optionsFor(json)), json);
}

const smaller = (frame: Uint8Array, json: Uint8Array) => (frame.length < json.length * 0.9 ? frame : json);

/** Told the size, zstd sets up no more than it needs. */
function optionsFor(json: Uint8Array) {
  return { pledgedSrcSize: json.length, params: { [constants.ZSTD_c_compressionLevel]: 1 } };
}

export function unpack(stored: Buffer): Buffer {
  return stored.subarray(0, MAGIC.length).equals(MAGIC) ? zstdDecompressSync(stored) : stored;
}
