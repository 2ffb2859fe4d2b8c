import { createContext, Script } from 'node:vm';

/** A deployment's expression must not hold the event loop of all. */
const PATIENCE_MS = 20;
/** On a busy machine a good expression may be late, too. */
const MAX_LATE = 3;
const QUIET_MS = 60_000;
const MAX_KNOWN = 1000;
const asked = new Script('pattern.test(origin)');
const place: { pattern?: RegExp; origin?: string } = createContext({});

/**
 * The expression that a whole origin may match. One that is none matches nothing; one that took too long some times is left
 * alone for a while, in which only origins that are known already match.
 */
export class OriginPattern {
  readonly #known = new Map<string, boolean>();
  readonly #pattern: RegExp | undefined;
  readonly #now: () => number;
  #late = 0;
  #quiet_until = 0;

  constructor(source: string, now: () => number = Date.now) {
    this.#pattern = patternOf(source);
    this.#now = now;
  }

  matches(origin: string): boolean {
    const known = this.#known.get(origin);
    if (known !== undefined) return known;
    const found = this.#ask(origin);
    if (found === undefined) return false;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(origin, found);
    return found;
  }

  /** Undefined where it is not known. */
  #ask(origin: string): boolean | undefined {
    if (this.#pattern === undefined) return false;
    if (this.#now() < this.#quiet_until) return undefined;
    try {
      Object.assign(place, { pattern: this.#pattern, origin });
      return asked.runInContext(place, { timeout: PATIENCE_MS }) === true;
    } catch {
      this.#late += 1;
      if (this.#late < MAX_LATE) return undefined;
      this.#late = 0;
      this.#quiet_until = this.#now() + QUIET_MS;
      return undefined;
    }
  }
}

function patternOf(source: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${source})$`);
  } catch {
    return undefined;
  }
}
