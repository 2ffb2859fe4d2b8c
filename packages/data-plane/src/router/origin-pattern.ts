import { createContext, Script } from 'node:vm';

/** A deployment's expression must not hold the event loop for everybody. */
const PATIENCE_MS = 20;
/** On a busy machine a good expression may be late, too. */
const MAX_LATE = 3;
const QUIET_MS = 60_000;
const MAX_KNOWN = 1000;
const asked = new Script('pattern.test(origin)');
const place: { pattern?: RegExp; origin?: string } = createContext({});

/**
 * The expression that a whole origin may match. An invalid one matches nothing. One that took too long several times
 * is suspended for a while, in which only origins with a known result can match.
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

  /** Undefined where the result is not known. */
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
