import type { SeriesSums } from '@roadstead/contracts/observability';
import { noSums, type SeriesPart, type SeriesRequest, type SummedSeries } from './series-rules.ts';

/** Rows of sums as lines: all runs first, then groups by their number of runs, then the others. */

/** What the statement of sums answers. */
export interface SeriesRow {
  readonly kind: 'all' | 'group' | 'other';
  readonly group: string | null;
  /** Null for the sums of a period. */
  readonly bucket: number | null;
  readonly is_now: boolean;
  readonly runs: number;
  readonly errors: number;
  readonly latency?: readonly number[] | null;
  readonly first_token?: readonly number[] | null;
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly total_cost?: number | null;
}

export interface FeedbackRow extends Pick<SeriesRow, 'kind' | 'group' | 'bucket' | 'is_now'> {
  readonly key: string;
  readonly count: number;
  readonly average: number | null;
}

interface Line {
  readonly kind: SummedSeries['kind'];
  readonly group: string | null;
  readonly buckets: Map<number, SeriesSums>;
  total: SeriesSums | undefined;
  before: SeriesSums | undefined;
}

const places = { all: 0, group: 1, other: 2 } as const;

export function linesOf(
  { parts }: SeriesRequest,
  { rows, feedback }: { readonly rows: readonly SeriesRow[]; readonly feedback: readonly FeedbackRow[] },
): SummedSeries[] {
  const lines = new Map<string, Line>([
    [keyOf({ kind: 'all', group: null }), blankLine({ kind: 'all', group: null })],
  ]);
  const opinions = Map.groupBy(feedback, placeOf);
  for (const row of rows) {
    const line = lines.get(keyOf(row)) ?? blankLine(row);
    lines.set(keyOf(row), line);
    const sums = sumsOf(row, { parts, feedback: opinions.get(placeOf(row)) ?? [] });
    if (row.bucket !== null) line.buckets.set(row.bucket, sums);
    else if (row.is_now) line.total = sums;
    else line.before = sums;
  }
  // What was there in the period before only is no line of its own.
  const shown = [...lines.values()].filter((line) => line.kind === 'all' || line.total !== undefined);
  return shown.toSorted(
    (a, b) =>
      places[a.kind] - places[b.kind] ||
      (b.total?.runs ?? 0) - (a.total?.runs ?? 0) ||
      ((a.group ?? '') < (b.group ?? '') ? -1 : 1),
  );
}

const blankLine = ({ kind, group }: Pick<Line, 'kind' | 'group'>): Line => ({
  kind,
  group,
  buckets: new Map(),
  total: undefined,
  before: undefined,
});

const keyOf = ({ kind, group }: Pick<SeriesRow, 'kind' | 'group'>) => `${kind} ${group ?? ''}`;
const placeOf = (row: Pick<SeriesRow, 'kind' | 'group' | 'bucket' | 'is_now'>) =>
  `${row.is_now} ${row.bucket} ${keyOf(row)}`;

function sumsOf(
  row: SeriesRow,
  { parts, feedback }: { readonly parts: ReadonlySet<SeriesPart>; readonly feedback: readonly FeedbackRow[] },
): SeriesSums {
  const { runs, errors, latency, first_token } = row;
  const at = (values: readonly number[] | null | undefined, index: number) => values?.[index] ?? null;
  const given: SeriesSums = {
    runs,
    errors,
    error_rate: runs === 0 ? null : errors / runs,
    latency_p50: at(latency, 0),
    latency_p95: at(latency, 1),
    latency_p99: at(latency, 2),
    first_token_p50: at(first_token, 0),
    first_token_p95: at(first_token, 1),
    prompt_tokens: row.prompt_tokens ?? 0,
    completion_tokens: row.completion_tokens ?? 0,
    total_tokens: row.total_tokens ?? 0,
    total_cost: row.total_cost ?? null,
    feedback: Object.fromEntries(feedback.map(({ key, count, average }) => [key, { count, average }])),
  };
  const selected = Object.keys(noSums(parts)) as (keyof SeriesSums)[];
  return {
    runs,
    errors,
    error_rate: given.error_rate,
    ...Object.fromEntries(selected.map((name) => [name, given[name]])),
  };
}
