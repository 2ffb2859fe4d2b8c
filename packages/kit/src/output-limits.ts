/** What is taken of a program's output, so that one that never stops printing holds up nobody but itself. */
export interface OutputLimits {
  /** The lines that are passed on in a second; a long one counts as several. */
  readonly lines_per_s: number;
  /** The lines that are passed on at once after a quiet time. */
  readonly most_lines: number;
  /** The bytes that are read in a second, passed on or not: a program that prints more waits. */
  readonly bytes_per_s: number;
}

/** More than anybody reads, and less than holds anybody up. */
export const OUTPUT_LIMITS: OutputLimits = { lines_per_s: 1000, most_lines: 5000, bytes_per_s: 4_194_304 };

/** The characters of a line that count as one line. */
const LINE_CHARS = 256;

/** How many lines one of that length counts as. */
export const linesIn = ({ length }: { readonly length: number }): number =>
  Math.max(1, Math.ceil(length / LINE_CHARS));

/** A number that grows by the second up to a bound, and that is spent, also beyond what is there. */
export class Allowance {
  readonly #per_s: number;
  readonly #most: number;
  #left: number;
  #since = performance.now();

  constructor({ per_s, most }: { readonly per_s: number; readonly most: number }) {
    this.#per_s = per_s;
    this.#most = most;
    this.#left = most;
  }

  get left(): number {
    const now = performance.now();
    this.#left = Math.min(this.#most, this.#left + ((now - this.#since) / 1000) * this.#per_s);
    this.#since = now;
    return this.#left;
  }

  spend(amount: number): void {
    this.#left -= amount;
  }
}
