import { Script } from 'node:vm';

/** A deployment's expression must not hold the event loop of all. */
const PATIENCE_MS = 10;
const MAX_KNOWN = 1000;
const asked = new Script('pattern.test(origin)');

/**
 * The expression that a whole origin may match. One that is none matches nothing; one that takes too long is not asked
 * again.
 */
export class OriginPattern {
  readonly #known = new Map<string, boolean>();
  #pattern: RegExp | undefined;

  constructor(source: string) {
    try {
      this.#pattern = new RegExp(`^(?:${source})$`);
    } catch {
      this.#pattern = undefined;
    }
  }

  matches(origin: string): boolean {
    const known = this.#known.get(origin);
    if (known !== undefined) return known;
    const found = this.#ask(origin);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(origin, found);
    return found;
  }

  #ask(origin: string): boolean {
    if (this.#pattern === undefined) return false;
    try {
      const context = { pattern: this.#pattern, origin };
      return asked.runInNewContext(context, { timeout: PATIENCE_MS }) === true;
    } catch {
      this.#pattern = undefined;
      return false;
    }
  }
}
