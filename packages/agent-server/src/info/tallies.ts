import type { Labels, Sample } from './metric-rules.ts';

/** A count since the agent server was opened. */
export class Counter {
  readonly #counts = new Map<string, { readonly labels: Labels; value: number }>();

  add(labels: Labels = {}): void {
    const key = JSON.stringify(labels);
    const one = this.#counts.get(key) ?? { labels, value: 0 };
    one.value += 1;
    this.#counts.set(key, one);
  }

  get samples(): Sample[] {
    return this.#counts.size === 0 ? [{ labels: {}, value: 0 }] : [...this.#counts.values()];
  }
}

/** In milliseconds. */
const BOUNDS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000];

/** Durations in milliseconds. */
export class Durations {
  readonly #rows = new Map<string, { readonly labels: Labels; readonly counts: number[]; sum: number }>();

  add(took_ms: number, labels: Labels = {}): void {
    const key = JSON.stringify(labels);
    const row = this.#rows.get(key) ?? { labels, counts: Array(BOUNDS.length + 1).fill(0), sum: 0 };
    const at = BOUNDS.findIndex((bound) => took_ms <= bound);
    row.counts[at < 0 ? BOUNDS.length : at]! += 1;
    row.sum += took_ms;
    this.#rows.set(key, row);
  }

  get samples(): Sample[] {
    return [...this.#rows.values()].flatMap(({ labels, counts, sum }) => {
      let below = 0;
      const buckets = [...BOUNDS.map(String), '+Inf'].map((le, at) => {
        below += counts[at] ?? 0;
        return { suffix: '_bucket', labels: { ...labels, le }, value: below };
      });
      return [
        ...buckets,
        { suffix: '_sum', labels, value: Math.round(sum) },
        { suffix: '_count', labels, value: below },
      ];
    });
  }
}
