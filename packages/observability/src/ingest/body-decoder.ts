import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { capped, Problem, readBytes } from '@roadstead/kit';
import type { ByteGate, Reservation } from './byte-gate.ts';

/** Request bodies of ingestion as they were before the client compressed them. */

const MAX_INGEST_BYTES = 104_857_600;
/** A body that says it is no larger is read at once. */
const SMALL_BYTES = 1_048_576;
/** What traces commonly unpack to; what unpacks to more is rare, and asks for room again. */
const COMMON_RATIO = 20;

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

type Encoding = keyof typeof decoders;

/** A body and the room it takes, which lasts until it is disposed. */
export interface DecodedBody extends Disposable {
  readonly bytes: Buffer;
}

/** @throws Problem where the body is larger than may be, packed or unpacked, cut off, or packed in an unknown way. */
export async function readDecoded(request: Request, gate: ByteGate): Promise<DecodedBody> {
  const room = gate.enter();
  try {
    const packed = await read(request, room);
    const encoding = encodingOf(request.headers);
    const bytes = encoding === undefined ? packed : await unpack(packed, encoding, room);
    await room.hold(bytes.length);
    return { bytes, [Symbol.dispose]: () => room[Symbol.dispose]() };
  } catch (problem) {
    room[Symbol.dispose]();
    throw problem;
  }
}

/** Takes room for what has come, and none for what a client only promises. */
async function read(request: Request, room: Reservation): Promise<Buffer> {
  const told = Number(request.headers.get('content-length') ?? Number.NaN);
  if (told <= SMALL_BYTES || told > MAX_INGEST_BYTES) {
    await room.hold(Math.min(told, SMALL_BYTES));
    return readBytes(request, { max_bytes: MAX_INGEST_BYTES });
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of capped(request.body, MAX_INGEST_BYTES)) {
    bytes += chunk.length;
    await room.hold(bytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function encodingOf(headers: Headers): Encoding | undefined {
  const encoding = (headers.get('content-encoding') ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return undefined;
  if (!Object.hasOwn(decoders, encoding))
    throw new Problem('invalid', 'The Content-Encoding must be one of gzip, zstd, deflate, br and identity.');
  return encoding as Encoding;
}

async function unpack(packed: Buffer, encoding: Encoding, room: Reservation): Promise<Buffer> {
  for (const limit of [packed.length * COMMON_RATIO, MAX_INGEST_BYTES]) {
    await room.hold(packed.length + limit);
    try {
      return await decoders[encoding](packed, { maxOutputLength: Math.min(limit, MAX_INGEST_BYTES) });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE')
        throw new Problem('invalid', `The body is cut off or is not ${encoding}.`, { cause });
    }
  }
  throw new Problem('too_large', `Unpacked, the body is larger than ${MAX_INGEST_BYTES} bytes.`);
}
