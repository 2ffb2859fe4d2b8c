import { createHash, type Hash } from 'node:crypto';
import type { Algorithm } from './digest-rules.ts';

/** Bytes on their way, and their digest once all have passed. */
export class HashedBytes implements AsyncIterable<Uint8Array> {
  readonly #bytes: AsyncIterable<Uint8Array>;
  readonly #algorithm: Algorithm;
  readonly #hash: Hash;

  constructor(bytes: AsyncIterable<Uint8Array>, algorithm: Algorithm) {
    this.#bytes = bytes;
    this.#algorithm = algorithm;
    this.#hash = createHash(algorithm);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#bytes) {
      this.#hash.update(chunk);
      yield chunk;
    }
  }

  /** Called once, after the last of them. */
  digest(): string {
    return `${this.#algorithm}:${this.#hash.digest('hex')}`;
  }
}
