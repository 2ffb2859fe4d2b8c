import { type Blobs, moveBlobs } from '@roadstead/blobs';
import type { BackupRun } from './backup-place.ts';

const TOLD_EACH = 100;

interface BlobCopiesOptions extends BackupRun {
  /** The name of the store. */
  readonly name: string;
  readonly from: Blobs;
  readonly to: Blobs;
}

/** The blobs of one store on their way into a backup. */
export class BlobCopies {
  readonly #options: BlobCopiesOptions;
  readonly #seen = new Set<string>();
  readonly #damaged = new Set<string>();

  constructor(options: BlobCopiesOptions) {
    this.#options = options;
  }

  /** Copies those that it has not seen before. */
  async copyNew(): Promise<void> {
    const { name, from, to, signal, tell } = this.#options;
    const onProgress = ({ copied }: { readonly copied: number }) => {
      if (this.#seen.size % TOLD_EACH === 0) tell(`${name}: ${this.#seen.size} looked at, ${copied} copied`);
    };
    const listed = this.#listNew();
    const { damaged } = await moveBlobs({ from, to, listed, removes: false, signal, onProgress });
    for (const digest of damaged) this.#damaged.add(digest);
  }

  /** Those that are in the backup. */
  get digests(): string[] {
    return [...this.#seen].filter((digest) => !this.#damaged.has(digest)).toSorted();
  }

  /** Those whose bytes are not what their names say. */
  get damaged(): string[] {
    return [...this.#damaged];
  }

  async *#listNew(): AsyncGenerator<{ readonly digest: string }> {
    for await (const { digest } of this.#options.from.list()) {
      if (this.#seen.has(digest)) continue;
      this.#seen.add(digest);
      yield { digest };
    }
  }
}
