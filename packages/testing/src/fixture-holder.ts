/** Opens a value, of which the accessor answers what is open. */
export type Open<T> = () => T | Promise<T>;

/** Holds one value at a time, from its opening to its disposal. */
export class FixtureHolder<T> {
  readonly #open: Open<T>;
  #opening: Promise<T> | undefined;
  #opened: { readonly value: T } | undefined;

  constructor(open: Open<T>) {
    this.#open = open;
  }

  async open(): Promise<void> {
    this.#opening = (async () => this.#open())();
    this.#opened = { value: await this.#opening };
  }

  /** Disposes of what was opened, even where the hook gave up before it was: nothing of an opening that failed is there. */
  async close(): Promise<void> {
    const [opened] = await Promise.allSettled([this.#opening]);
    this.#opening = undefined;
    this.#opened = undefined;
    if (opened.status === 'fulfilled' && isDisposable(opened.value))
      await opened.value[Symbol.asyncDispose]();
  }

  read(): T {
    if (this.#opened === undefined) throw new Error('A fixture is open in hooks and tests alone.');
    return this.#opened.value;
  }
}

const isDisposable = (value: unknown): value is AsyncDisposable =>
  typeof value === 'object' && value !== null && Symbol.asyncDispose in value;
