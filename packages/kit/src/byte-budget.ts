import { Problem } from './problem.ts';

/** What one request holds of its owner's budget; disposing gives it back. */
export interface Held extends Disposable {
  /** @throws Problem `limit` where the owner's requests would hold more than they may. */
  take(bytes: number): void;
}

/** How many bytes of bodies each owner, commonly a workspace, may have in memory at once. */
export class ByteBudget {
  readonly #max: number;
  readonly #held = new Map<string, number>();

  constructor(max_bytes: number) {
    this.#max = max_bytes;
  }

  open(owner: string): Held {
    let mine = 0;
    return {
      take: (bytes) => {
        const others = (this.#held.get(owner) ?? 0) - mine;
        // A body that is allowed on its own is never refused for ever.
        if (others > 0 && others + mine + bytes > this.#max)
          throw new Problem('limit', 'Too many large bodies of this workspace are read at once.', {
            retry_after_s: 1,
          });
        mine += bytes;
        this.#held.set(owner, others + mine);
      },
      [Symbol.dispose]: () => {
        const left = (this.#held.get(owner) ?? 0) - mine;
        mine = 0;
        if (left > 0) this.#held.set(owner, left);
        else this.#held.delete(owner);
      },
    };
  }
}
