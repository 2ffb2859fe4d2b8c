/** Content-addressed bytes: sources, artifacts, attachments. Adapters: a folder; later S3. */
export interface Blobs {
  /**
   * Stores a stream of bytes; storing the same bytes again costs nothing. Rejects past `max_bytes` and leaves nothing
   * behind.
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

export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}
