/** Content-addressed bytes: sources, artifacts, layers of images, attachments. Adapters: a folder, and a bucket of S3. */
export interface Blobs {
  /**
   * Stores a stream of bytes; storing the same bytes again costs no further space. Rejects past `max_bytes` and leaves
   * nothing behind.
   */
  put(bytes: AsyncIterable<Uint8Array>, limits: { readonly max_bytes: number }): Promise<StoredBlob>;
  /** A stream of the bytes, or of a range of them; undefined when there is no such blob. The size is that of the whole. */
  get(
    digest: string,
    range?: ByteRange,
  ): Promise<{ readonly size: number; readonly stream: ReadableStream<Uint8Array> } | undefined>;
  has(digest: string): Promise<boolean>;
  delete(digest: string): Promise<void>;
  /** All blobs, each with the time of its last `put`. */
  list(): AsyncIterable<{ readonly digest: string; readonly put_at_ms: number }>;
  /** Removes what killed processes were still receiving: nobody can use it. */
  removeAbandoned(): Promise<void>;
  /**
   * An address where anybody can read the blob for a while without us, with these headers in its answer; undefined
   * where there is none. It is made without a look whether the blob is there.
   */
  address(digest: string, headers: DownloadHeaders): Promise<string | undefined>;
}

/** A part of a blob: both ends are in it, counted from 0. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export interface StoredBlob {
  /** `sha256:` and 64 hex digits. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

export interface DownloadHeaders {
  readonly content_type: string;
  readonly content_disposition?: string;
}

export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

/** Where a blob lies below its store, in folders and in buckets alike, so that the files of one can be copied to the other. */
export const placeOf = (digest: string): string => `${digest.slice(7, 9)}/${digest.slice(7)}`;
