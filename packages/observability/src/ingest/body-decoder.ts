import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { Problem, readBytes } from '@roadstead/kit';

/** Request bodies of ingestion as they were before the client compressed them. */

const MAX_INGEST_BYTES = 104_857_600;

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

/** @throws Problem where the body is larger than may be, packed or unpacked, cut off, or packed in an unknown way. */
export async function readDecoded(request: Request): Promise<Buffer> {
  const bytes = await readBytes(request, MAX_INGEST_BYTES);
  const encoding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return bytes;
  if (!Object.hasOwn(decoders, encoding))
    throw new Problem('invalid', 'The Content-Encoding must be one of gzip, zstd, deflate, br and identity.');
  try {
    return await decoders[encoding as keyof typeof decoders](bytes, { maxOutputLength: MAX_INGEST_BYTES });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new Problem('too_large', `Unpacked, the body is larger than ${MAX_INGEST_BYTES} bytes.`, {
        cause,
      });
    throw new Problem('invalid', `The body is cut off or is not ${encoding}.`, { cause });
  }
}
