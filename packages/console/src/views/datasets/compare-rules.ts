import type { Scores } from './score-rules.ts';

/** How experiments are compared, example by example: each with a baseline, and what became worse comes first. */

/** A run of an experiment on an example, as the API shows it. */
export interface RunLike {
  readonly id: string;
  readonly session_id?: string | undefined;
  readonly trace_id?: string | undefined;
  readonly start_time?: string | undefined;
  readonly end_time?: string | null | undefined;
  readonly error?: string | null | undefined;
  readonly outputs_preview?: string | null | undefined;
  readonly total_cost?: number | null | undefined;
  readonly feedbacks: readonly Readonly<Record<string, unknown>>[];
}

export interface ExampleLike {
  readonly id: string;
  readonly inputs: unknown;
  readonly outputs: unknown;
  readonly runs: readonly RunLike[];
}

/** What an experiment made of an example; of several runs, the means. */
export interface Result {
  readonly run: RunLike;
  readonly run_count: number;
  readonly scores: Scores;
  readonly has_error: boolean;
  readonly latency_ms: number | undefined;
  readonly cost: number | undefined;
}

/**
 * `regressed`: something became worse, whatever else became better; `unknown`: nothing in common with the baseline is
 * scored.
 */
export type Change = 'regressed' | 'improved' | 'same' | 'unknown';

export interface Comparison {
  readonly change: Change;
  /** The difference of each score, so that more is better. */
  readonly gains: Scores;
}

export interface ComparedRow {
  readonly example: ExampleLike;
  /** What each experiment made of it. */
  readonly results: ReadonlyMap<string, Result>;
  /** How each experiment but the baseline differs from that. */
  readonly comparisons: ReadonlyMap<string, Comparison>;
  readonly change: Change;
}

const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, one) => sum + one, 0) / values.length;

const latencyOf = ({ start_time, end_time }: RunLike) =>
  typeof end_time === 'string' && start_time !== undefined
    ? [Math.max(0, Date.parse(end_time) - Date.parse(start_time))]
    : [];

/** What runs of one experiment on one example come to; undefined without a run. */
export function resultOf(runs: readonly RunLike[]): Result | undefined {
  const run = runs[0];
  if (run === undefined) return undefined;
  const byKey = new Map<string, number[]>();
  for (const { key, score, comparative_experiment_id } of runs.flatMap(({ feedbacks }) => feedbacks)) {
    // Feedback of a comparison by pairs says which of two is better, and nothing about one alone.
    if (typeof score !== 'number' || typeof comparative_experiment_id === 'string') continue;
    byKey.set(String(key), [...(byKey.get(String(key)) ?? []), score]);
  }
  return {
    run,
    run_count: runs.length,
    scores: Object.fromEntries([...byKey].map(([key, scores]) => [key, mean(scores) ?? 0])),
    has_error: runs.some(({ error }) => typeof error === 'string'),
    latency_ms: mean(runs.flatMap(latencyOf)),
    cost: mean(runs.flatMap(({ total_cost }) => (typeof total_cost === 'number' ? [total_cost] : []))),
  };
}

interface Pair {
  readonly baseline: Result | undefined;
  readonly result: Result | undefined;
  /** The keys of which less is better. */
  readonly lower: ReadonlySet<string>;
}

function comparisonOf({ baseline, result, lower }: Pair): Comparison {
  if (baseline === undefined || result === undefined) return { change: 'unknown', gains: {} };
  const gains = Object.entries(result.scores).flatMap(([key, score]) => {
    const before = baseline.scores[key];
    if (before === undefined) return [];
    return [[key, lower.has(key) ? before - score : score - before] as const];
  });
  const values = gains.map(([, gain]) => gain);
  const errors = Number(baseline.has_error) - Number(result.has_error);
  return { change: changeOf([...values, errors], values.length > 0), gains: Object.fromEntries(gains) };
}

function changeOf(gains: readonly number[], isScored: boolean): Change {
  if (gains.some((gain) => gain < 0)) return 'regressed';
  if (gains.some((gain) => gain > 0)) return 'improved';
  return isScored ? 'same' : 'unknown';
}

/** What comes first. */
const order: readonly Change[] = ['regressed', 'improved', 'same', 'unknown'];

interface CompareOptions {
  readonly experiments: readonly string[];
  readonly baseline: string;
  readonly lower: ReadonlySet<string>;
}

export function comparedRow(
  example: ExampleLike,
  { experiments, baseline, lower }: CompareOptions,
): ComparedRow {
  const results = new Map<string, Result>();
  for (const experiment of experiments) {
    const result = resultOf(example.runs.filter(({ session_id }) => session_id === experiment));
    if (result !== undefined) results.set(experiment, result);
  }
  const comparisons = new Map(
    experiments
      .filter((experiment) => experiment !== baseline)
      .map((experiment) => [
        experiment,
        comparisonOf({ baseline: results.get(baseline), result: results.get(experiment), lower }),
      ]),
  );
  const changes = [...comparisons.values()].map(({ change }) => change);
  return {
    example,
    results,
    comparisons,
    change: order.find((change) => changes.includes(change)) ?? 'unknown',
  };
}

/** The largest loss of any score; an error that is new counts as a loss of 1. */
function lossOf({ comparisons, results }: ComparedRow): number {
  const losses = [...comparisons].flatMap(([experiment, { gains, change }]) => [
    ...Object.values(gains).map((gain) => -gain),
    Number(change === 'regressed' && results.get(experiment)?.has_error === true),
  ]);
  return Math.max(0, ...losses);
}

/** Puts regressions first, the largest loss before others; what is alike stays in its order. */
export function inOrder(rows: readonly ComparedRow[]): ComparedRow[] {
  return rows
    .map((row) => ({ row, rank: order.indexOf(row.change), loss: lossOf(row) }))
    .toSorted((one, other) => one.rank - other.rank || other.loss - one.loss)
    .map(({ row }) => row);
}

export function changeCounts(rows: readonly ComparedRow[]): Readonly<Record<Change, number>> {
  const counts = { regressed: 0, improved: 0, same: 0, unknown: 0 };
  for (const { change } of rows) counts[change] += 1;
  return counts;
}
