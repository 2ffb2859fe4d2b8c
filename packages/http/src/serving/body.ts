import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { parseJson } from '@roadstead/json';
import { type BodyReservation, joined, malformed, Problem } from '@roadstead/kit';

/** Readers of request bodies that never hold more than they are allowed. */

/** Larger copies are made in time slices. */
const LARGE_BYTES = 1_048_576;
export const DEFAULT_BODY_BYTES = 26_214_400;
/**
 * A schema takes microseconds per value, so an endpoint that validates by one has small bodies unless it declares
 * otherwise.
 */
const DEFAULT_BODY_VALUES = 10_000;

export interface BodyLimits {
  readonly max_bytes: number;
  /** Counts the bytes in memory until the caller has finished with them. */
  readonly held?: BodyReservation | undefined;
}

/** @throws Problem `too_large`, or `limit` where the budget is used up. */
export async function readBytes(request: Request, { max_bytes, held }: BodyLimits): Promise<Buffer> {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced > max_bytes) throw tooLarge(max_bytes);
  if (Number.isFinite(announced)) {
    // The server's own parser limits the size.
    held?.take(announced);
    return announced > LARGE_BYTES ? collected(request.body) : Buffer.from(await request.arrayBuffer());
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of capped(request.body, max_bytes)) {
    held?.take(chunk.length);
    chunks.push(chunk);
  }
  return joined(chunks);
}

async function collected(body: ReadableStream<Uint8Array> | null): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return joined(chunks);
}

interface JsonBodyLimits {
  readonly max_bytes?: number | undefined;
  readonly held?: BodyReservation | undefined;
  readonly max_values?: number | undefined;
}

/** @throws Problem `too_large`, `malformed`, or `limit` where the budget is used up. */
export async function readJson(request: Request, limits: JsonBodyLimits = {}): Promise<unknown> {
  const { max_bytes = DEFAULT_BODY_BYTES, max_values = DEFAULT_BODY_VALUES, held } = limits;
  const encoding = encodingOf(request.headers);
  const packed = await readBytes(request, { max_bytes, held });
  const bytes = await unpack(packed, { encoding, max_bytes });
  if (bytes !== packed) held?.take(bytes.length);
  if (bytes.length === 0) throw malformed(['body'], 'a JSON body is required', 'json_invalid');
  return parseJson(bytes, { max_bytes, max_values, held });
}

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

export type Encoding = keyof typeof decoders;

/** @throws Problem `invalid` for an encoding that we don't know */
export function encodingOf(headers: Headers): Encoding | undefined {
  const encoding = (headers.get('content-encoding') ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return undefined;
  if (!Object.hasOwn(decoders, encoding))
    throw new Problem('invalid', 'The Content-Encoding must be one of gzip, zstd, deflate, br and identity.');
  return encoding as Encoding;
}

/** Decompresses off the event loop, and never beyond `max_bytes`. */
export async function unpack(
  packed: Buffer,
  { encoding, max_bytes }: { readonly encoding: Encoding | undefined; readonly max_bytes: number },
): Promise<Buffer> {
  if (encoding === undefined) return packed;
  try {
    return await decoders[encoding](packed, { maxOutputLength: max_bytes, chunkSize: 65_536 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new Problem('too_large', `Unpacked, the body is larger than ${max_bytes} bytes.`, { cause });
    throw new Problem('invalid', `The body is cut off or is not ${encoding}.`, { cause });
  }
}

/** The body's chunks; throws once more than `max_bytes` have come. */
export async function* capped(
  body: ReadableStream<Uint8Array> | null,
  max_bytes: number,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of body ?? []) {
    total += chunk.length;
    if (total > max_bytes) throw tooLarge(max_bytes);
    yield chunk;
  }
}

function tooLarge(max_bytes: number): Problem {
  return new Problem('too_large', `The body is larger than the ${max_bytes} bytes that are allowed here.`);
}
