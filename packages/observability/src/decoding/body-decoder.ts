import { capped, encodingOf, joined, Problem, readBytes, unpack } from '@roadstead/kit';
import type { Reservation } from './body-room.ts';

/** Request bodies of ingestion as they were before the client compressed them. */

const MAX_INGEST_BYTES = 67_108_864;
/** A body that says it is no larger is read at once. */
const SMALL_BYTES = 1_048_576;
/** What traces commonly unpack to; what unpacks to more is rare, and asks for room again. */
const COMMON_RATIO = 20;

/** A body and the room it takes, which lasts until it is disposed. */
export interface DecodedBody extends Disposable {
  readonly bytes: Buffer;
}

/**
 * @param room the body's, which is given back with it
 * @throws Problem where the body is larger than may be, packed or unpacked, cut off, or packed in an unknown way.
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

/** Takes room for what has come, and none for what a client only promises. */
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
