import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Serde } from './langgraph-types.ts';

/** What PostgreSQL would begin to compress by itself, in bytes: ten times as slowly, and to twice the size. */
const FROM = 2048;
const PACKED = '+zstd';
const quickly = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** A serializer whose large values are packed: their type ends with `+zstd` (RFC 8878). It reads those that aren't, too. */
export function packedSerde(serde: Serde): Serde {
  // A copy of LangGraph that has none fails where something is written, as it would without us.
  if ((serde as Serde | undefined) === undefined) return serde;
  return {
    dumpsTyped: async (value) => {
      const [type, bytes] = await serde.dumpsTyped(value);
      if (bytes.length < FROM) return [type, bytes];
      const packed = zstdCompressSync(bytes, quickly);
      return packed.length < bytes.length ? [type + PACKED, packed] : [type, bytes];
    },
    loadsTyped: (type, data) =>
      type.endsWith(PACKED)
        ? serde.loadsTyped(type.slice(0, -PACKED.length), unpacked(data))
        : serde.loadsTyped(type, data),
  };
}

/** No `Buffer`: of a channel that holds bytes, these are the value. */
function unpacked(data: Uint8Array | string): Uint8Array {
  const { buffer, byteOffset, byteLength } = zstdDecompressSync(data);
  return new Uint8Array(buffer, byteOffset, byteLength);
}
