import type { ListMultipartUploadsCommandOutput, MultipartUpload, S3Client } from '@aws-sdk/client-s3';
import { Problem } from '@roadstead/kit';
import {
  type Blobs,
  type ByteRange,
  type DownloadHeaders,
  isDigest,
  placeOf,
  type StoredBlob,
} from './blobs.ts';
import {
  createS3Client,
  createS3Clients,
  findRefusal,
  isMissing,
  isNoUpload,
  type S3,
  type S3Clients,
  type S3Place,
  unavailable,
} from './s3-bucket.ts';
import { S3Upload } from './s3-upload.ts';

/** How long the address of a download holds. */
const ADDRESS_S = 300;
/** An upload that began so long ago is not going on any more. */
const ABANDONED_MS = 24 * 3_600_000;

/** Sizes within the rules of S3; tests have smaller ones. */
interface S3Sizes {
  /** The size of a part of an upload, unless a blob would have more of them than an upload may. */
  readonly part_bytes: number;
  /** Beyond it an object is copied in ranges of this size. */
  readonly copy_bytes: number;
}

const SIZES: S3Sizes = { part_bytes: 8 * 1024 ** 2, copy_bytes: 5 * 1024 ** 3 };

/** Opens the blobs of a bucket of S3, or of a server that speaks it; asks nothing of it yet. */
export async function openS3Blobs(place: S3Place, sizes = SIZES): Promise<Blobs> {
  return new S3Blobs(await import('@aws-sdk/client-s3'), place, sizes);
}

/**
 * Asks the bucket something small.
 * @returns why it did not answer, where it is only away
 * @throws Problem `invalid` where it can’t be used as it is configured
 */
export async function checkBucket({ bucket: Bucket, prefix: Prefix, access }: S3Place): Promise<unknown> {
  const s3 = await import('@aws-sdk/client-s3');
  try {
    await createS3Client(s3, access).send(new s3.ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 }));
    return undefined;
  } catch (cause) {
    const refusal = findRefusal(cause);
    if (refusal === undefined) return cause;
    throw new Problem('invalid', `The bucket ${Bucket} can’t be used. ${refusal}`, { cause });
  }
}

/** Blobs in a bucket. A blob appears whole or not at all. */
class S3Blobs implements Blobs {
  readonly #s3: S3;
  readonly #place: S3Place;
  readonly #sizes: S3Sizes;
  readonly #clients: S3Clients;
  /** Makes addresses at which clients reach the bucket. */
  readonly #public: S3Client | undefined;

  constructor(s3: S3, place: S3Place, sizes: S3Sizes) {
    const { access } = place;
    this.#s3 = s3;
    this.#place = place;
    this.#sizes = sizes;
    this.#clients = createS3Clients(s3, access);
    const { public_endpoint: endpoint, region } = access;
    this.#public = endpoint ? createS3Client(s3, { endpoint, region }) : undefined;
  }

  async put(
    bytes: AsyncIterable<Uint8Array>,
    { max_bytes }: { readonly max_bytes: number },
  ): Promise<StoredBlob> {
    const { bucket, prefix } = this.#place;
    const store = { s3: this.#s3, clients: this.#clients, bucket, prefix };
    await using upload = new S3Upload(store, { ...this.#sizes, max_bytes });
    return await upload.receive(bytes);
  }

  async get(digest: string, range?: ByteRange) {
    if (!isDigest(digest)) return undefined;
    const Range = range && `bytes=${range.first}-${range.last}`;
    const asked = new this.#s3.GetObjectCommand({ ...this.#at(digest), Range });
    const answer = await found(this.#clients.downloads.send(asked));
    if (answer?.Body === undefined) return undefined;
    const whole = answer.ContentRange?.split('/')[1];
    return {
      size: whole === undefined ? (answer.ContentLength ?? 0) : Number(whole),
      stream: answer.Body.transformToWebStream() as ReadableStream<Uint8Array>,
    };
  }

  async has(digest: string): Promise<boolean> {
    if (!isDigest(digest)) return false;
    const asked = new this.#s3.HeadObjectCommand(this.#at(digest));
    return (await found(this.#clients.calls.send(asked))) !== undefined;
  }

  async delete(digest: string): Promise<void> {
    if (isDigest(digest)) await this.#remove(this.#at(digest).Key);
  }

  async *list() {
    const { prefix } = this.#place;
    for await (const { key, put_at_ms } of this.#objects(prefix)) {
      const digest = `sha256:${key.slice(-64)}`;
      if (isDigest(digest) && key === this.#at(digest).Key) yield { digest, put_at_ms };
    }
  }

  async removeAbandoned(): Promise<void> {
    const { bucket: Bucket, prefix } = this.#place;
    const before_ms = Date.now() - ABANDONED_MS;
    for await (const { key, put_at_ms } of this.#objects(`${prefix}incoming/`))
      if (put_at_ms < before_ms) await this.#remove(key);
    for await (const { Key, UploadId, Initiated } of this.#uploads())
      // Not every server looks at the prefix.
      if (Key?.startsWith(prefix) === true && Initiated !== undefined && Initiated.getTime() < before_ms) {
        const abort = new this.#s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId });
        await this.#clients.calls.send(abort).catch((error: unknown) => {
          if (!isNoUpload(error)) throw unavailable(error);
        });
      }
  }

  async address(digest: string, headers: DownloadHeaders): Promise<string | undefined> {
    if (this.#public === undefined || !isDigest(digest)) return undefined;
    const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
    const asked = new this.#s3.GetObjectCommand({
      ...this.#at(digest),
      ResponseContentType: headers.content_type,
      ResponseContentDisposition: headers.content_disposition,
      ResponseCacheControl: 'private, max-age=3600',
    });
    return getSignedUrl(this.#public, asked, { expiresIn: ADDRESS_S }).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  #at(digest: string) {
    const { bucket: Bucket, prefix } = this.#place;
    return { Bucket, Key: `${prefix}${placeOf(digest)}` };
  }

  async #remove(Key: string): Promise<void> {
    const { bucket: Bucket } = this.#place;
    await found(this.#clients.calls.send(new this.#s3.DeleteObjectCommand({ Bucket, Key })));
  }

  async *#objects(Prefix: string) {
    const { bucket: Bucket } = this.#place;
    try {
      for await (const { Contents } of this.#s3.paginateListObjectsV2(
        { client: this.#clients.calls, stopOnSameToken: true },
        { Bucket, Prefix },
      ))
        for (const { Key = '', LastModified } of Contents ?? [])
          yield { key: Key, put_at_ms: LastModified?.getTime() ?? Date.now() };
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Uploads in parts that have not ended. */
  async *#uploads(): AsyncGenerator<MultipartUpload> {
    const { bucket: Bucket, prefix: Prefix } = this.#place;
    let KeyMarker: string | undefined;
    let UploadIdMarker: string | undefined;
    do {
      const after = { KeyMarker, UploadIdMarker };
      const asked = new this.#s3.ListMultipartUploadsCommand({ Bucket, Prefix, ...after });
      const page: ListMultipartUploadsCommandOutput | undefined = await found(
        this.#clients.calls.send(asked),
      );
      yield* page?.Uploads ?? [];
      KeyMarker = page?.IsTruncated === true ? page.NextKeyMarker : undefined;
      UploadIdMarker = page?.NextUploadIdMarker;
    } while (KeyMarker !== undefined);
  }
}

async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw unavailable(error);
  }
}
