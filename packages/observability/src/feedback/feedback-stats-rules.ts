import type { FeedbackStats, KeyStats } from '../records/feedback-row.ts';

/** Feedback that has the same key, label and kind of source, added up. */
export interface FeedbackShare {
  readonly key: string;
  readonly source_type: string;
  /** Empty where the value is no label. */
  readonly label: string;
  readonly count: number;
  readonly scored: number;
  readonly errors: number;
  readonly sum: number;
  /** The sum over all scores of the key of the squared distance from their mean. */
  readonly squared_deviations: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly comments: readonly string[] | null;
}

const MAX_LABELS = 100;
const MAX_COMMENTS = 10;

/** The statistics of each key, by the shares of it. */
export function statsOf(shares: readonly FeedbackShare[]): FeedbackStats {
  const keys = Map.groupBy(shares, (share) => share.key);
  return Object.fromEntries([...keys].map(([key, some]) => [key, keyStatsOf(some)]));
}

function keyStatsOf(shares: readonly FeedbackShare[]): KeyStats {
  const total = (read: (share: FeedbackShare) => number) =>
    shares.reduce((sum, share) => sum + read(share), 0);
  const scored = total((share) => share.scored);
  const squares = shares[0]?.squared_deviations ?? 0;
  return {
    n: total((share) => share.count),
    avg: scored === 0 ? null : total((share) => share.sum) / scored,
    min: leastOf(shares.map((share) => share.min)),
    max: negated(leastOf(shares.map((share) => negated(share.max)))),
    stdev: scored < 2 ? null : Math.sqrt(Math.max(0, squares) / (scored - 1)),
    errors: total((share) => share.errors),
    values: labelsOf(shares),
    comments: shares.flatMap((share) => share.comments ?? []).slice(0, MAX_COMMENTS),
    sources: [...new Set(shares.map((share) => share.source_type))].filter((type) => type !== '').sort(),
    contains_thread_feedback: false,
  };
}

const negated = (value: number | null) => (value === null ? null : -value);

function leastOf(values: readonly (number | null)[]): number | null {
  return values.reduce((least, value) => (value === null || (least ?? value) < value ? least : value), null);
}

/** The most frequent labels. */
function labelsOf(shares: readonly FeedbackShare[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { label, count } of shares)
    if (label !== '') counts.set(label, (counts.get(label) ?? 0) + count);
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_LABELS));
}
