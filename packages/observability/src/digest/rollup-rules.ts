import type { CostName, TokenName } from '../records/run-operation.ts';
import { addDecimals, negated } from '../values/decimal-rules.ts';
import { bucketOf, type Histogram, mergedHistogram } from './histogram-rules.ts';

/** The sums of a project, kept up to date by subtracting what a root counted as and adding what it counts as now. */

/** A root run with the sums of its trace; times in seconds, costs as decimal text. */
export interface RootFacts
  extends Readonly<Record<TokenName, number>>, Readonly<Record<CostName, string | null>> {
  readonly session_id: string;
  /** The day on which it began, in UTC: `2026-01-05`. */
  readonly day: string;
  readonly has_error: boolean;
  /** Null until it has finished. */
  readonly seconds: number | null;
  readonly first_token_seconds: number | null;
}

/** The contribution of a root to the rollups of its partition; the latter two are buckets. */
export type RootCount = Omit<RootFacts, 'seconds' | 'first_token_seconds'> & {
  readonly latency: number | null;
  readonly first_token: number | null;
};

export interface Rollup
  extends
    Readonly<Record<TokenName, number>>,
    Readonly<Record<CostName, string>>,
    Readonly<Record<`${CostName}_count`, number>> {
  readonly run_count: number;
  readonly error_count: number;
  readonly latency: Histogram;
  readonly first_token: Histogram;
}

/** The day under which all time is summed. */
export const ALL_TIME = '-infinity';

export function countedOf({ seconds, first_token_seconds, ...root }: RootFacts): RootCount {
  return {
    ...root,
    latency: seconds === null ? null : bucketOf(seconds),
    first_token: first_token_seconds === null ? null : bucketOf(first_token_seconds),
  };
}

export function isSameCount(a: RootCount | null, b: RootCount | null): boolean {
  if (a === null || b === null) return a === b;
  return (Object.keys(a) as (keyof RootCount)[]).every((name) => a[name] === b[name]);
}

const noRollup: Rollup = {
  run_count: 0,
  error_count: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  prompt_cost: '0',
  completion_cost: '0',
  total_cost: '0',
  prompt_cost_count: 0,
  completion_cost_count: 0,
  total_cost_count: 0,
  latency: {},
  first_token: {},
};

/** The difference between the earlier and the present counts of roots, by project and day. */
export interface RollupChange {
  readonly session_id: string;
  readonly day: string;
  readonly change: Rollup;
}

export function changesOf(
  roots: readonly { readonly was: RootCount | null; readonly is: RootCount | null }[],
): RollupChange[] {
  const parts = new Map<string, { session_id: string; day: string; rollups: Rollup[] }>();
  const put = (counted: RootCount | null, sign: 1 | -1) => {
    if (counted === null) return;
    const { session_id } = counted;
    const rollup = rollupOf(counted, sign);
    for (const day of [counted.day, ALL_TIME]) {
      const key = `${session_id}/${day}`;
      const part = parts.get(key) ?? { session_id, day, rollups: [] };
      part.rollups.push(rollup);
      parts.set(key, part);
    }
  };
  for (const { was, is } of roots) {
    if (isSameCount(was, is)) continue;
    put(was, -1);
    put(is, 1);
  }
  return [...parts.values()].map(({ rollups, ...key }) => ({ ...key, change: mergedRollup(rollups) }));
}

function rollupOf(counted: RootCount, sign: 1 | -1): Rollup {
  const signed = (cost: string | null) => (cost === null ? '0' : sign < 0 ? negated(cost) : cost);
  const one = (value: unknown) => (value === null ? 0 : sign);
  const bucket = (number: number | null): Histogram => (number === null ? {} : { [number]: sign });
  return {
    run_count: sign,
    error_count: counted.has_error ? sign : 0,
    prompt_tokens: sign * counted.prompt_tokens,
    completion_tokens: sign * counted.completion_tokens,
    total_tokens: sign * counted.total_tokens,
    prompt_cost: signed(counted.prompt_cost),
    completion_cost: signed(counted.completion_cost),
    total_cost: signed(counted.total_cost),
    prompt_cost_count: one(counted.prompt_cost),
    completion_cost_count: one(counted.completion_cost),
    total_cost_count: one(counted.total_cost),
    latency: bucket(counted.latency),
    first_token: bucket(counted.first_token),
  };
}

export function mergedRollup(rollups: readonly Rollup[]): Rollup {
  const [first, ...others] = rollups;
  if (first === undefined) return noRollup;
  if (others.length === 0) return first;
  const total = (name: 'run_count' | 'error_count' | TokenName | `${CostName}_count`) =>
    rollups.reduce((sum, rollup) => sum + rollup[name], 0);
  const cost = (name: CostName) => rollups.map((rollup) => rollup[name]).reduce(addDecimals, '0');
  return {
    run_count: total('run_count'),
    error_count: total('error_count'),
    prompt_tokens: total('prompt_tokens'),
    completion_tokens: total('completion_tokens'),
    total_tokens: total('total_tokens'),
    prompt_cost: cost('prompt_cost'),
    completion_cost: cost('completion_cost'),
    total_cost: cost('total_cost'),
    prompt_cost_count: total('prompt_cost_count'),
    completion_cost_count: total('completion_cost_count'),
    total_cost_count: total('total_cost_count'),
    latency: mergedHistogram(rollups.map((rollup) => rollup.latency)),
    first_token: mergedHistogram(rollups.map((rollup) => rollup.first_token)),
  };
}
