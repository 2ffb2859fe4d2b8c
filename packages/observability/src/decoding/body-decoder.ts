import { type Call, capped, encodingOf, readBytes, unpack } from '@roadstead/http';
import { joined, Problem } from '@roadstead/kit';
import type { Reservation } from './body-room.ts';

/** Request bodies of ingestion as they were before the client compressed them. */

const MAX_INGEST_BYTES = 67_108_864;
/** A body that declares no larger size is read at once. */
const SMALL_BYTES = 1_048_576;
/** The usual ratio by which traces unpack; a body that exceeds it is rare, and reserves more memory. */
const COMMON_RATIO = 20;

/** A call whose body is read here. */
export type BodyCall = Pick<Call, 'request' | 'workspace_id'>;

/** A body and its reservation of memory, which lasts until it is disposed. */
export interface DecodedBody extends Disposable {
  readonly bytes: Buffer;
}

/**
 * @param room the reservation of the body, released with it
 * @throws Problem where the body is too large, packed or unpacked, cut off, or packed in an unknown way.
 */
export async function readDecoded(request: Request, room: Reservation): Promise<DecodedBody> {
  try {
    const encoding = encodingOf(request.headers);
    const packed = await read(request, room);
    const bytes = encoding === undefined ? packed : await unpackInto(room, { packed, encoding });
    await room.hold(bytes.length);
    return { bytes, [Symbol.dispose]: () => room[Symbol.dispose]() };
  } catch (problem) {
    room[Symbol.dispose]();
    throw problem;
  }
}

/** Reserves memory for bytes that have come, and none for bytes that a client only announces. */
async function read(request: Request, room: Reservation): Promise<Buffer> {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced <= SMALL_BYTES || announced > MAX_INGEST_BYTES) {
    await room.hold(Math.min(announced, SMALL_BYTES));
    return readBytes(request, { max_bytes: MAX_INGEST_BYTES });
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of capped(request.body, MAX_INGEST_BYTES)) {
    bytes += chunk.length;
    await room.hold(bytes);
    chunks.push(chunk);
  }
  return joined(chunks);
}

async function unpackInto(
  room: Reservation,
  {
    packed,
    encoding,
  }: { readonly packed: Buffer; readonly encoding: Parameters<typeof unpack>[1]['encoding'] },
): Promise<Buffer> {
  const common = Math.min(packed.length * COMMON_RATIO, MAX_INGEST_BYTES);
  for (const max_bytes of [common, MAX_INGEST_BYTES]) {
    await room.hold(packed.length + max_bytes);
    try {
      return await unpack(packed, { encoding, max_bytes });
    } catch (error) {
      const isRare = error instanceof Problem && error.kind === 'too_large' && max_bytes < MAX_INGEST_BYTES;
      if (!isRare) throw error;
    }
  }
  throw new Error('The last of the sizes either takes the body or refuses it.');
}
