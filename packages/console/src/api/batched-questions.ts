/** Gathers what is asked for in one task into one question, or few of bounded size. */
export class BatchedQuestions<Value> {
  #waiting = new Map<string, PromiseWithResolvers<Value | undefined>>();
  readonly #most: number;
  readonly #ask: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

  constructor(most: number, ask: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>) {
    this.#most = most;
    this.#ask = ask;
  }

  /** Undefined where the answer has none of this id. */
  ask(id: string): Promise<Value | undefined> {
    const known = this.#waiting.get(id);
    if (known !== undefined) return known.promise;
    if (this.#waiting.size === 0) setTimeout(() => this.#send());
    const waiting = Promise.withResolvers<Value | undefined>();
    this.#waiting.set(id, waiting);
    return waiting.promise;
  }

  #send(): void {
    const all = [...this.#waiting];
    this.#waiting = new Map();
    for (let from = 0; from < all.length; from += this.#most) {
      const some = all.slice(from, from + this.#most);
      this.#ask(some.map(([id]) => id)).then(
        (found) => some.forEach(([id, { resolve }]) => resolve(found.get(id))),
        (error: unknown) => some.forEach(([, { reject }]) => reject(error)),
      );
    }
  }
}
