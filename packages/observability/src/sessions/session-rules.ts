import type { TracerSession } from '@roadstead/contracts/observability';
import { malformed } from '@roadstead/kit';
import { costNumber, naive } from '../runs/run-answer-rules.ts';
import type { SessionRow, SessionStats } from './session-row.ts';

/** Every field is there, null where nothing is known or asked for. */
export function sessionAnswer(row: SessionRow, stats?: SessionStats): TracerSession {
  const { workspace_id, ...session } = row;
  return {
    ...session,
    start_time: naive(row.start_time) ?? '',
    end_time: naive(row.end_time),
    tenant_id: workspace_id,
    ...statsAnswer(stats),
    feedback_stats: null,
    session_feedback_stats: null,
    run_facets: null,
    test_run_number: null,
  };
}

function statsAnswer(stats: SessionStats | undefined) {
  return {
    run_count: stats?.run_count ?? null,
    latency_p50: stats?.latency_p50 ?? null,
    latency_p99: stats?.latency_p99 ?? null,
    first_token_p50: stats?.first_token_p50 ?? null,
    first_token_p99: stats?.first_token_p99 ?? null,
    error_rate: stats?.error_rate ?? null,
    streaming_rate: stats?.streaming_rate ?? null,
    last_run_start_time: naive(stats?.last_run_start_time),
    prompt_tokens: stats?.prompt_tokens ?? null,
    completion_tokens: stats?.completion_tokens ?? null,
    total_tokens: stats?.total_tokens ?? null,
    prompt_cost: costNumber(stats?.prompt_cost),
    completion_cost: costNumber(stats?.completion_cost),
    total_cost: costNumber(stats?.total_cost),
  };
}

const byStats: Readonly<Record<string, keyof SessionStats>> = {
  last_run_start_time: 'last_run_start_time',
  latency_p50: 'latency_p50',
  latency_p99: 'latency_p99',
  error_rate: 'error_rate',
  runs_count: 'run_count',
};

/** Whether the order depends on what the runs say. */
export function sortsByStats(sort_by: string): boolean {
  return byStats[sort_by] !== undefined;
}

/** In place of an order by SQL; projects without the value come last, either way. */
export function sortSessions(
  rows: readonly SessionRow[],
  stats: ReadonlyMap<string, SessionStats>,
  order: { readonly sort_by: string; readonly descending: boolean },
): SessionRow[] {
  const stat = byStats[order.sort_by];
  const valueOf = (row: SessionRow) =>
    stat === undefined
      ? order.sort_by === 'name'
        ? row.name
        : row.start_time
      : (stats.get(row.id)?.[stat] ?? null);
  return rows.toSorted((a, b) => compare(valueOf(a), valueOf(b), order.descending) || (a.id < b.id ? -1 : 1));
}

function compare(a: string | number | null, b: string | number | null, descending: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b === descending ? 1 : -1;
}

/** The JSON object that a project's metadata must contain. */
export function metadataFilter(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Told below, like any other text that is no object.
  }
  throw malformed(['query', 'metadata'], 'is not a JSON object');
}
