import { createHash, randomUUID } from 'node:crypto';
import type { CompletedPart } from '@aws-sdk/client-s3';
import { Problem } from '@roadstead/kit';
import { placeOf, type StoredBlob } from './blobs.ts';
import { DigestedBytes } from './digested-bytes.ts';
import { isNoUpload, type S3, type S3Clients, unavailable } from './s3-bucket.ts';

/** Nobody waits longer for what is left of an upload to go. */
const REMOVAL_MS = 5000;
/** What an upload may have, by the rules of S3. */
const MAX_PARTS = 10_000;

export interface S3Store {
  readonly s3: S3;
  readonly clients: S3Clients;
  readonly bucket: string;
  readonly prefix: string;
}

interface UploadSizes {
  readonly part_bytes: number;
  readonly copy_bytes: number;
  readonly max_bytes: number;
}

/** An object under way in parts. */
interface OpenUpload {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string | undefined;
}

/**
 * Bytes on their way into a bucket. Their name is their digest, which is known at their end: what is longer than one part
 * goes to a name of its own first, and the server copies it. Disposing removes what is not needed any more.
 */
export class S3Upload implements AsyncDisposable {
  readonly #store: S3Store;
  readonly #sizes: UploadSizes;
  readonly #unfinished = new Set<OpenUpload>();
  #incoming: string | undefined;

  constructor(store: S3Store, sizes: UploadSizes) {
    this.#store = store;
    this.#sizes = sizes;
  }

  async receive(bytes: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    const { max_bytes, part_bytes } = this.#sizes;
    const digested = new DigestedBytes(bytes, max_bytes);
    const size = Number.isFinite(max_bytes)
      ? Math.max(part_bytes, Math.ceil(max_bytes / MAX_PARTS))
      : part_bytes;
    let upload: OpenUpload | undefined;
    const done: CompletedPart[] = [];
    for await (const { content, is_last } of partsOf(digested, size)) {
      if (is_last && upload === undefined) return this.#putWhole(content, digested.stored());
      upload ??= await this.#begin((this.#incoming = `${this.#store.prefix}incoming/${randomUUID()}`));
      done.push(await this.#sendPart(upload, content, done.length + 1));
    }
    const stored = digested.stored();
    if (upload !== undefined) await this.#complete(upload, done);
    await this.#copy(stored);
    return stored;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { s3, clients, bucket: Bucket } = this.#store;
    const send = { abortSignal: AbortSignal.timeout(REMOVAL_MS) };
    // What can’t be removed now is removed as abandoned.
    await Promise.allSettled([
      ...[...this.#unfinished].map((upload) =>
        clients.calls.send(new s3.AbortMultipartUploadCommand(upload), send),
      ),
      ...(this.#incoming === undefined
        ? []
        : [clients.calls.send(new s3.DeleteObjectCommand({ Bucket, Key: this.#incoming }), send)]),
    ]);
  }

  async #putWhole(content: Buffer, stored: StoredBlob): Promise<StoredBlob> {
    const { s3, clients, bucket: Bucket } = this.#store;
    const Key = this.#keyOf(stored.digest);
    const put = new s3.PutObjectCommand({ Bucket, Key, Body: content, ContentMD5: md5(content) });
    await reached(clients.uploads.send(put));
    return stored;
  }

  async #begin(Key: string): Promise<OpenUpload> {
    const { s3, clients, bucket: Bucket } = this.#store;
    const { UploadId } = await reached(
      clients.calls.send(new s3.CreateMultipartUploadCommand({ Bucket, Key })),
    );
    const upload = { Bucket, Key, UploadId };
    this.#unfinished.add(upload);
    return upload;
  }

  async #sendPart(upload: OpenUpload, content: Buffer, PartNumber: number): Promise<CompletedPart> {
    const { s3, clients } = this.#store;
    if (PartNumber > MAX_PARTS)
      throw new Problem('too_large', `A file may have ${MAX_PARTS * this.#sizes.part_bytes} bytes here.`);
    const part = { ...upload, PartNumber, Body: content, ContentMD5: md5(content) };
    const { ETag } = await reached(clients.uploads.send(new s3.UploadPartCommand(part)));
    return { ETag, PartNumber };
  }

  async #complete(upload: OpenUpload, Parts: CompletedPart[]): Promise<void> {
    const { s3, clients } = this.#store;
    const end = new s3.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
    await clients.copies.send(end).catch(async (error: unknown) => {
      // An attempt before may have ended it, and its answer been lost.
      if (!isNoUpload(error) || !(await this.#isThere(upload))) throw unavailable(error);
    });
    this.#unfinished.delete(upload);
  }

  async #isThere({ Bucket, Key }: OpenUpload): Promise<boolean> {
    const { s3, clients } = this.#store;
    const asked = clients.calls.send(new s3.HeadObjectCommand({ Bucket, Key }));
    return asked.then(
      () => true,
      () => false,
    );
  }

  /** Gives what has come its name. */
  async #copy({ digest, size }: StoredBlob): Promise<void> {
    const { s3, clients, bucket: Bucket } = this.#store;
    const path = (this.#incoming ?? '').split('/').map(encodeURIComponent).join('/');
    const CopySource = `${Bucket}/${path}`;
    const Key = this.#keyOf(digest);
    if (size <= this.#sizes.copy_bytes) {
      await reached(clients.copies.send(new s3.CopyObjectCommand({ Bucket, Key, CopySource })));
      return;
    }
    const upload = await this.#begin(Key);
    const done: CompletedPart[] = [];
    for (let first = 0; first < size; first += this.#sizes.copy_bytes) {
      const last = Math.min(first + this.#sizes.copy_bytes, size) - 1;
      const range = { CopySource, CopySourceRange: `bytes=${first}-${last}`, PartNumber: done.length + 1 };
      const { CopyPartResult } = await reached(
        clients.copies.send(new s3.UploadPartCopyCommand({ ...upload, ...range })),
      );
      done.push({ ETag: CopyPartResult?.ETag, PartNumber: done.length + 1 });
    }
    await this.#complete(upload, done);
  }

  #keyOf(digest: string): string {
    return `${this.#store.prefix}${placeOf(digest)}`;
  }
}

const reached = <T>(asked: Promise<T>): Promise<T> =>
  asked.catch((error: unknown) => {
    throw unavailable(error);
  });

/** Lets the server see whether a part came as it was sent. */
const md5 = (content: Buffer): string => createHash('md5').update(content).digest('base64');

const FIRST_ROOM = 65_536;

/** Cuts bytes into parts of one size; the last may be smaller, and there is one always. */
async function* partsOf(bytes: AsyncIterable<Uint8Array>, part_bytes: number) {
  // Grows by doubling, whatever the size of the pieces in which the bytes come.
  let room = Buffer.allocUnsafe(Math.min(FIRST_ROOM, part_bytes));
  let size = 0;
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length;) {
      if (size === part_bytes) {
        yield { content: room, is_last: false };
        room = Buffer.allocUnsafe(part_bytes);
        size = 0;
      }
      if (size === room.length) room = Buffer.concat([room], Math.min(2 * room.length, part_bytes));
      const taken = chunk.subarray(at, at + room.length - size);
      room.set(taken, size);
      size += taken.length;
      at += taken.length;
    }
  yield { content: room.subarray(0, size), is_last: true };
}
