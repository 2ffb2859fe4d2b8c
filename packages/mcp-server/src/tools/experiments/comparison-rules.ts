import { errorLine, numberOf, round, withoutEmpty } from '../runs/run-summary-rules.ts';
import type { ShownText } from '../../paging/text-cut-rules.ts';

/** Compares the results of experiments on the same examples with those of the first one. */

/** An example with the runs of several experiments, in the form of `POST /v2/datasets/{id}/experiment-runs`. */
export interface ComparedExample {
  readonly id: string;
  readonly inputs?: unknown;
  readonly runs?: readonly ComparedRun[] | undefined;
}

interface ComparedRun {
  readonly id: string;
  readonly project_id?: string;
  readonly status?: string;
  readonly error_preview?: string | null;
  readonly outputs_preview?: string | null;
  readonly latency_seconds?: number | null;
  readonly total_cost?: unknown;
  readonly feedback_stats?: Readonly<Record<string, unknown>> | null;
}

/**
 * The result of one experiment for an example; for repetitions the means, and the first run that failed or else the
 * first.
 */
interface Cell {
  readonly run_id: string;
  readonly scores: Readonly<Record<string, number>>;
  readonly failed: boolean;
  readonly error?: ShownText | undefined;
  readonly latency_s?: number | undefined;
  readonly cost?: number | undefined;
  readonly outputs?: string | undefined;
}

export const kinds = ['regressed', 'improved', 'same'] as const;
type Kind = (typeof kinds)[number];

export interface ComparedRow {
  readonly example_id: string;
  readonly inputs: unknown;
  /** Worse by any measure, else better by some. */
  readonly kind: Kind;
  /** How much worse, over all measures; below 0 if better. */
  readonly loss: number;
  /** One cell for each experiment, in their order. */
  readonly cells: readonly (Cell | undefined)[];
}

export interface Measures {
  /** The baseline comes first. */
  readonly experiment_ids: readonly string[];
  /** Compares only this key of feedback; only errors where it is absent. */
  readonly feedback_key?: string | undefined;
  readonly lower_is_better: ReadonlySet<string>;
}

export function rowOf({ id, inputs, runs = [] }: ComparedExample, measures: Measures): ComparedRow {
  const cells = measures.experiment_ids.map((experiment) =>
    cellOf(runs.filter(({ project_id }) => project_id === experiment)),
  );
  const [baseline, ...others] = cells;
  const losses = others.flatMap((cell) =>
    baseline === undefined || cell === undefined ? [] : lossesOf(baseline, cell, measures),
  );
  const kind = losses.some((loss) => loss > 0)
    ? 'regressed'
    : losses.some((loss) => loss < 0)
      ? 'improved'
      : 'same';
  return { example_id: id, inputs, kind, loss: losses.reduce((sum, loss) => sum + loss, 0), cells };
}

function cellOf(runs: readonly ComparedRun[]): Cell | undefined {
  const [first] = runs;
  if (first === undefined) return undefined;
  const told_of = runs.find(isFailed) ?? first;
  const keys = new Set(runs.flatMap(({ feedback_stats }) => Object.keys(feedback_stats ?? {})));
  const scores = [...keys].flatMap((key) => {
    const score = mean(runs.map(({ feedback_stats }) => averageOf(feedback_stats?.[key])));
    return score === undefined ? [] : [[key, score] as const];
  });
  return {
    run_id: told_of.id,
    scores: Object.fromEntries(scores),
    failed: isFailed(told_of),
    error: isFailed(told_of) ? errorLine(told_of.error_preview) : undefined,
    latency_s: mean(runs.map(({ latency_seconds }) => latency_seconds ?? undefined)),
    cost: mean(
      runs.map(({ total_cost }) =>
        total_cost === null || total_cost === undefined ? undefined : numberOf(total_cost),
      ),
    ),
    outputs: told_of.outputs_preview ?? undefined,
  };
}

const isFailed = ({ status, error_preview }: ComparedRun) =>
  status === undefined || status === null ? (error_preview ?? '') !== '' : status.toLowerCase() === 'error';

function averageOf(stats: unknown): number | undefined {
  const { avg } = (stats ?? {}) as { readonly avg?: unknown };
  return typeof avg === 'number' ? avg : undefined;
}

function mean(values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? undefined : round(given.reduce((sum, value) => sum + value, 0) / given.length);
}

/** The loss by measure; above 0 where it is worse than the baseline. */
function lossesOf(baseline: Cell, cell: Cell, { feedback_key, lower_is_better }: Measures): number[] {
  const keys = Object.keys(cell.scores).filter((key) => feedback_key === undefined || key === feedback_key);
  const scores = keys.flatMap((key) => {
    const [before, after] = [baseline.scores[key], cell.scores[key]];
    if (before === undefined || after === undefined) return [];
    return round(lower_is_better.has(key) ? after - before : before - after);
  });
  return feedback_key === undefined ? [...scores, Number(cell.failed) - Number(baseline.failed)] : scores;
}

/** The largest losses first, then the largest gains, then the rest. */
export const inOrderOfLoss = (rows: readonly ComparedRow[]) =>
  rows.toSorted(
    (one, other) =>
      kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || Math.abs(other.loss) - Math.abs(one.loss),
  );

/**
 * For each experiment but the first, the number of examples on which each measure is better and worse than the
 * baseline’s.
 */
export function changesOf(
  rows: readonly ComparedRow[],
  { measures, place }: { readonly measures: Measures; readonly place: number },
) {
  const better: Record<string, number> = {};
  const worse: Record<string, number> = {};
  for (const { cells } of rows) {
    const [baseline, cell] = [cells[0], cells[place]];
    if (baseline === undefined || cell === undefined) continue;
    for (const key of Object.keys(cell.scores)) {
      const [loss = 0] = lossesOf(baseline, cell, { ...measures, feedback_key: key });
      if (loss < 0) better[key] = (better[key] ?? 0) + 1;
      if (loss > 0) worse[key] = (worse[key] ?? 0) + 1;
    }
  }
  return { better, worse };
}

export function shownRow({ example_id, inputs, kind, cells }: ComparedRow) {
  const runs = cells.map((cell) => {
    if (cell === undefined) return null;
    const { failed: _, ...shown } = cell;
    return withoutEmpty(shown);
  });
  return { example_id, kind, inputs, runs };
}
