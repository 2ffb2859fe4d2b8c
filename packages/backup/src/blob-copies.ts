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
  /** Those that are in the backup. */
  readonly #there = new Set<string>();
  readonly #damaged = new Set<string>();

  constructor(options: BlobCopiesOptions) {
    this.#options = options;
  }

  /** Copies those that it has not copied before. */
  async copyNew(): Promise<void> {
    const { name, from, to, signal, tell } = this.#options;
    const onProgress = ({ copied }: { readonly copied: number }) => {
      if (this.#there.size % TOLD_EACH === 0)
        tell(`${name}: ${this.#there.size} looked at, ${copied} copied`);
    };
    // What was deleted meanwhile is named by no row that is copied later.
    const onGone = (digest: string) => this.#there.delete(digest);
    const listed = this.#listNew();
    const { damaged } = await moveBlobs({ from, to, listed, removes: false, signal, onProgress, onGone });
    for (const digest of damaged) {
      this.#there.delete(digest);
      this.#damaged.add(digest);
    }
  }

  /** Those that are in the backup. */
  get digests(): string[] {
    return [...this.#there].toSorted();
  }

  /** Those whose bytes are not what their names say. */
  get damaged(): string[] {
    return [...this.#damaged];
  }

  /** What the place has is whole, and needs no second look at what became of it here. */
  async *#listNew(): AsyncGenerator<{ readonly digest: string }> {
    const { from, to } = this.#options;
    for await (const { digest } of from.list()) {
      if (this.#there.has(digest) || this.#damaged.has(digest)) continue;
      this.#there.add(digest);
      if (!(await to.has(digest))) yield { digest };
    }
  }
}
