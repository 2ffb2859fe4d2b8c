import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

/** Opens a value, of which the accessor answers what is open. */
type Open<T> = () => T | Promise<T>;

/**
 * Opens a value before the tests of a file or suite, and disposes of it after them, if it can be disposed of. Several open in
 * the order in which they are written, and close in the reverse order.
 * @returns an accessor for tests and hooks.
 */
export function useFixture<T>(open: Open<T>): () => T {
  const holder = new FixtureHolder(open);
  beforeAll(() => holder.open());
  afterAll(() => holder.close());
  return () => holder.read();
}

/** Opens a value before each test, and disposes of it after the test: otherwise as `useFixture`. */
export function useFixturePerTest<T>(open: Open<T>): () => T {
  const holder = new FixtureHolder(open);
  beforeEach(() => holder.open());
  afterEach(() => holder.close());
  return () => holder.read();
}

class FixtureHolder<T> {
  readonly #open: Open<T>;
  #opened: { readonly value: T } | undefined;

  constructor(open: Open<T>) {
    this.#open = open;
  }

  async open(): Promise<void> {
    this.#opened = { value: await this.#open() };
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (isDisposable(opened?.value)) await opened.value[Symbol.asyncDispose]();
  }

  read(): T {
    if (this.#opened === undefined) throw new Error('A fixture is open in hooks and tests alone.');
    return this.#opened.value;
  }
}

const isDisposable = (value: unknown): value is AsyncDisposable =>
  typeof value === 'object' && value !== null && Symbol.asyncDispose in value;
