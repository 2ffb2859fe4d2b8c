import type { FeedbackStats, KeyStats } from '../records/feedback-row.ts';

/** Merges feedback of several projects or runs: means are weighted by their counts; spread and texts are left out. */
export function mergedFeedback(all: readonly FeedbackStats[]): FeedbackStats {
  const merged: Record<string, KeyStats> = {};
  for (const [key, stats] of all.flatMap((one) => Object.entries(one))) {
    const before = merged[key];
    merged[key] =
      before === undefined ? { ...stats, stdev: null, comments: [], sources: [] } : together(before, stats);
  }
  return merged;
}

function together(a: KeyStats, b: KeyStats): KeyStats {
  const labels = new Set([...Object.keys(a.values), ...Object.keys(b.values)]);
  return {
    ...a,
    n: a.n + b.n,
    avg: a.avg === null || b.avg === null ? (a.avg ?? b.avg) : (a.avg * a.n + b.avg * b.n) / (a.n + b.n),
    min: extreme([a.min, b.min], Math.min),
    max: extreme([a.max, b.max], Math.max),
    errors: a.errors + b.errors,
    values: Object.fromEntries(
      [...labels].map((label) => [label, (a.values[label] ?? 0) + (b.values[label] ?? 0)]),
    ),
    contains_thread_feedback: a.contains_thread_feedback || b.contains_thread_feedback,
  };
}

function extreme(values: readonly (number | null)[], pick: (...values: number[]) => number): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : pick(...known);
}
