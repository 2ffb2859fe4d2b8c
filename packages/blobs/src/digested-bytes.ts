import { createHash } from 'node:crypto';
import type { StoredBlob } from './blobs.ts';
import { tooLarge } from './refusals.ts';

/** Passes bytes on, and knows their digest and size once they have all been read. */
export class DigestedBytes implements AsyncIterable<Uint8Array> {
  readonly #bytes: AsyncIterable<Uint8Array>;
  readonly #max_bytes: number;
  readonly #hash = createHash('sha256');
  #size = 0;

  constructor(bytes: AsyncIterable<Uint8Array>, max_bytes: number) {
    this.#bytes = bytes;
    this.#max_bytes = max_bytes;
  }

  /** @throws Problem `too_large` at the first byte beyond those allowed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#bytes) {
      this.#size += chunk.length;
      if (this.#size > this.#max_bytes) throw tooLarge(this.#max_bytes);
      this.#hash.update(chunk);
      yield chunk;
    }
  }

  /** To be called once, when all of them have been read. */
  stored(): StoredBlob {
    return { digest: `sha256:${this.#hash.digest('hex')}`, size: this.#size };
  }
}
