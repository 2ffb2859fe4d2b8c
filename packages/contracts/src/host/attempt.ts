/** What frames refer to: the attempt of a run, and the blobs that come beside the JSON. */

/** One attempt of one run: every write names it, and a stale one is refused. */
export interface AttemptRef {
  readonly run_id: string;
  readonly attempt: number;
}

/** A place in the list of blobs that a frame brings. */
export type BlobIndex = number;

export interface TypedBlob {
  readonly type: string;
  readonly blob: BlobIndex;
}
