import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@roadstead/contracts';
import { capped } from '@roadstead/http';
import { classifyError, Problem } from '@roadstead/kit';
import { runStep, STEP_MS } from './steps.ts';

interface Download {
  readonly file: string;
  /** `sha256:…`; undefined where it is unknown. */
  readonly digest: string | undefined;
  readonly max_bytes: number;
  readonly signal: AbortSignal;
  /** Called at each piece. */
  readonly goesOn?: () => void;
}

interface Upload {
  /** A signed address. */
  readonly url: string;
  readonly digest: string;
  readonly signal: AbortSignal;
}

/**
 * Downloads from a signed address into a file.
 * @throws Problem when the bytes are refused, too many or not the promised ones; another error when a retry helps.
 */
export async function download(
  url: string,
  { file, digest, max_bytes, signal, goesOn }: Download,
): Promise<void> {
  // What the control plane keeps in a bucket it has fetched from there; the digest shows what comes.
  const response = await fetch(url, { signal });
  if (!response.ok) throw refusedDownload(response);
  const hash = createHash('sha256');
  await pipeline(
    Readable.from(capped(response.body, max_bytes)),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        goesOn?.();
        yield chunk;
      }
    },
    createWriteStream(file, { mode: 0o600 }),
    { signal },
  );
  if (digest !== undefined && `sha256:${hash.digest('hex')}` !== digest)
    throw new Problem('invalid', 'The bytes received are not the ones that were promised.');
}

function refusedDownload({ status, redirected }: Response): Error {
  // An address of a bucket holds for minutes; the next attempt gets another.
  if (redirected) {
    const error = refused(status, 'by its bucket');
    return error instanceof Problem ? new Error(error.message, { cause: error }) : error;
  }
  if (status === 404)
    return new Problem('invalid', 'The control plane no longer has the file to be fetched (404).');
  return refused(status, 'to a signed address');
}

/**
 * Uploads a file with this digest to a signed address, however long that takes while it makes progress. Throws like
 * `download`.
 */
export async function upload(file: string, to: Upload): Promise<void> {
  const error = () => new Error('The artifact was not taken in time.');
  const put = (signal: AbortSignal, goesOn: () => void) => putFile(file, { ...to, signal, goesOn });
  await runStep(put, { signal: to.signal, limit: { ms: STEP_MS, error } });
}

async function putFile(
  file: string,
  { url, digest, signal, goesOn }: Upload & { readonly goesOn: () => void },
): Promise<void> {
  const { size } = await stat(file);
  const pieces = async function* () {
    for await (const piece of createReadStream(file) as AsyncIterable<Uint8Array>) {
      goesOn();
      yield piece;
    }
  };
  const body = Readable.toWeb(Readable.from(pieces(), { objectMode: false })) as ReadableStream<Uint8Array>;
  const response = await fetch(url, {
    method: 'PUT',
    body,
    duplex: 'half',
    headers: { 'content-length': String(size), 'content-type': 'application/gzip' },
    signal,
    redirect: 'error',
  });
  if (!response.ok) throw refused(response.status, 'to the artifact');
  const stored = (await response.json()) as { digest?: string };
  if (stored.digest !== digest) throw new Error('The stored bytes differ from those sent.');
}

/** A server that is away or too busy will be back; a refusal is final. */
function refused(status: number, to: string): Error {
  const answered = new ApiError(`The control plane answered ${status} ${to}.`, { status });
  return classifyError(answered) === 'refusal' ? new Problem('invalid', answered.message) : answered;
}
