/** Compares vectors of texts exactly, by the cosine of the angle between them. Pure. */

/** Packs a vector as it is stored: of length 1, so that a cosine is a sum of products. */
export function packVector(vector: readonly number[]): Buffer {
  const length = Math.hypot(...chunkLengths(vector));
  const unit = Float32Array.from(vector, (one) => (length > 0 ? one / length : 0));
  return Buffer.from(unit.buffer);
}

/** The largest vector that pgvector holds: 16,000 numbers. */
export const MAX_PGVECTOR_BYTES = 16_000 * 4;
/** Below it numbers of four bytes lose their precision, and some versions of pgvector refuse them. */
const LEAST_NORMAL = 2 ** -126;

/** A packed vector as pgvector reads it; null where it cannot hold it. */
export function pgvectorText(vector: Uint8Array): string | null {
  if (vector.length === 0 || vector.length > MAX_PGVECTOR_BYTES) return null;
  const numbers = new Float32Array(Uint8Array.from(vector).buffer);
  return `[${numbers.map((one) => (Math.abs(one) < LEAST_NORMAL ? 0 : one)).join(',')}]`;
}

/** `Math.hypot` takes as many arguments as the stack holds. */
function chunkLengths(vector: readonly number[]): number[] {
  const lengths: number[] = [];
  for (let at = 0; at < vector.length; at += 1000) lengths.push(Math.hypot(...vector.slice(at, at + 1000)));
  return lengths;
}

interface ScoredItem {
  readonly item: string;
  readonly score: number;
}

const nearer = (one: ScoredItem, other: ScoredItem) =>
  other.score - one.score || (one.item < other.item ? -1 : 1);
/** How many more than the limit are kept before the farthest are dropped. */
const SPARE = 256;

/** Collects the items whose vectors are nearest to one, up to a limit; each counts by its nearest vector. */
export class Nearest {
  readonly #wanted: Float32Array;
  readonly #most: number;
  /** Bytes from the network are unaligned, while floats need multiples of four. */
  readonly #aligned: Float32Array;
  readonly #bytes: Uint8Array;
  #kept = new Map<string, number>();
  /** The score below which an item is not among the nearest. */
  #least = -Infinity;

  constructor(wanted: Buffer, most: number) {
    this.#wanted = new Float32Array(Uint8Array.from(wanted).buffer);
    this.#most = most;
    this.#aligned = new Float32Array(this.#wanted.length);
    this.#bytes = new Uint8Array(this.#aligned.buffer);
  }

  /** Adds a vector. One of another length comes from another embedder and is not compared. */
  add(item: () => string, vector: Uint8Array): void {
    if (vector.length !== this.#bytes.length) return;
    this.#bytes.set(vector);
    let cosine = 0;
    for (let at = 0; at < this.#wanted.length; at += 1)
      cosine += (this.#aligned[at] ?? 0) * (this.#wanted[at] ?? 0);
    if (cosine < this.#least) return;
    const name = item();
    if (cosine > (this.#kept.get(name) ?? -Infinity)) this.#kept.set(name, cosine);
    if (this.#kept.size >= this.#most + SPARE) this.#drop();
  }

  /** The nearest first. */
  list(): readonly ScoredItem[] {
    return [...this.#kept]
      .map(([item, score]) => ({ item, score }))
      .toSorted(nearer)
      .slice(0, this.#most);
  }

  #drop(): void {
    const nearest = this.list();
    this.#kept = new Map(nearest.map(({ item, score }) => [item, score]));
    this.#least = nearest.at(-1)?.score ?? this.#least;
  }
}
