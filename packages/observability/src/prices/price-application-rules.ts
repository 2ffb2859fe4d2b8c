import { type RunRow, usageIn } from '../records/run-row.ts';
import { type PriceOf, usageColumns, withoutCosts } from './price-rules.ts';

/** The progress of applying a workspace's prices to the stored runs. */
export interface PriceApplication {
  readonly workspace_id: string;
  readonly id: string;
  readonly requested_at: string;
  readonly finished_at: string | null;
  /** The present partition, and its last processed run; null before the first. */
  readonly tier: string | null;
  readonly week: string | null;
  readonly run_id: string | null;
  readonly runs_seen: number;
  readonly runs_changed: number;
}

/** The runs whose costs differ at these prices, with their new costs. */
export function repricedRuns(stored: readonly RunRow[], priceOf: PriceOf): RunRow[] {
  return stored.flatMap((row) => repriced(row, priceOf) ?? []);
}

/** Undefined where nothing changes: the run calls no model, or its costs were sent. */
function repriced(row: RunRow, priceOf: PriceOf): RunRow | undefined {
  const { workspace_id, start_time, run_type, model } = row;
  if (model === null || row.total_tokens === null) return undefined;
  const usage = row.price_model_id === null ? usageIn(row) : withoutCosts(usageIn(row));
  const price = priceOf({ workspace_id, model, start_time });
  const next = { ...row, ...usageColumns({ usage, model, run_type: run_type ?? '' }, price) };
  return isSame(row, next) ? undefined : next;
}

const priced = [
  'prompt_cost',
  'completion_cost',
  'total_cost',
  'price_model_id',
  'prompt_cost_details',
  'completion_cost_details',
] as const satisfies readonly (keyof RunRow)[];

/** The database may write costs with more zeros. */
function isSame(a: RunRow, b: RunRow): boolean {
  const of = (row: RunRow) =>
    priced.map((name) => {
      const value = row[name];
      return typeof value === 'string' && name.endsWith('_cost') ? Number(value) : sorted(value);
    });
  return JSON.stringify(of(a)) === JSON.stringify(of(b));
}

function sorted(value: RunRow[(typeof priced)[number]]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1));
}

export const applicationAnswer = (application: PriceApplication) => {
  const { id, requested_at, finished_at, runs_seen, runs_changed } = application;
  const status = finished_at === null ? ('running' as const) : ('done' as const);
  return { id, status, requested_at, finished_at, runs_seen, runs_changed };
};
