/** The size of the end that is kept of output that is not passed on: the end is the most informative part. */
const TAIL_BYTES = 16_384;
/** Pieces are joined from time to time, since they may be of a byte each. */
const MAX_PIECES = 64;

/** The last bytes of what was added. */
export class OutputTail {
  #kept: Buffer[] = [];
  #total = 0;

  /** The number of bytes that are not kept. */
  get left_out(): number {
    return Math.max(0, this.#total - TAIL_BYTES);
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    // A copy, which doesn't keep the whole chunk alive.
    this.#kept.push(Buffer.from(chunk.subarray(-TAIL_BYTES)));
    if (this.#kept.length > MAX_PIECES) this.#kept = [this.#joined()];
  }

  /**
   * Drops the first line where its beginning is missing: a secret in it could not be recognised by its end alone.
   * @param options.is_begun whether the first bytes that were added go on with a line
   */
  lines({ is_begun = false } = {}): Buffer {
    const all = this.#joined();
    if (this.left_out === 0 && !is_begun) return all;
    const end = all.indexOf('\n');
    return end < 0 ? Buffer.alloc(0) : all.subarray(end + 1);
  }

  #joined(): Buffer {
    return Buffer.from(Buffer.concat(this.#kept).subarray(-TAIL_BYTES));
  }
}
