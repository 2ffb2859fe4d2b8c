import type { RunQuery, RunStats } from '@roadstead/contracts/observability';
import { unexpectedAnswer } from '../tool-error.ts';
import type { ToolContext } from '../tool.ts';
import { groupErrors } from './error-group-rules.ts';
import type { Activity } from './revision-activity-rules.ts';

/** Summarizes the traces of one revision of a deployment. */

export interface TracesWanted extends Activity {
  readonly project_id: string;
  readonly revision_id: string;
}

const NEWEST_ERRORS = 50;
const STATS = [
  'run_count',
  'error_rate',
  'latency_p50',
  'latency_p99',
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
] as const;

/**
 * The figures of runs that are stamped with the revision or, without any, of runs that began while it was active.
 * @throws ApiError
 */
export async function readTraces(
  { project_id, revision_id, active_from, active_until }: TracesWanted,
  context: ToolContext,
) {
  const roots = { session: [project_id], is_root: true };
  const stamped = { ...roots, filter: stampedWith(revision_id) };
  const stats = await readStats(stamped, context);
  if (stats.run_count > 0 || active_from === undefined)
    return { found_by: 'revision_id', ...stats, ...(await errorsOf(stamped, stats, context)) };
  const while_active = {
    ...roots,
    start_time: active_from,
    ...(active_until === undefined ? {} : { end_time: active_until }),
  };
  const timed = await readStats(while_active, context);
  return { found_by: 'time', ...timed, ...(await errorsOf(while_active, timed, context)) };
}

/** Many agents answer that a tool failed, and so succeed: where no trace failed, its steps are examined. */
async function errorsOf(query: RunQuery, { run_count, error_rate }: RunStats, context: ToolContext) {
  if (error_rate) return { errors: await readErrors(query, context) };
  const step_errors = run_count === 0 ? [] : await readErrors({ ...query, is_root: false }, context);
  return { errors: [], ...(step_errors.length === 0 ? {} : { step_errors }) };
}

/** Ids are uuids from the control plane; written as JSON strings, they are safe in any case. */
const stampedWith = (revision_id: string) =>
  `and(eq(metadata_key, "revision_id"), eq(metadata_value, ${JSON.stringify(revision_id)}))`;

async function readStats(query: RunQuery, { api, signal }: ToolContext) {
  const answer: unknown = await api.readRunStats({ body: { ...query, select: [...STATS] }, signal });
  if (typeof answer !== 'object' || answer === null) throw unexpectedAnswer();
  const read = answer as RunStats;
  const figures: RunStats = Object.fromEntries(STATS.map((name) => [name, read[name] ?? null]));
  return { ...figures, run_count: read.run_count ?? 0 };
}

async function readErrors(query: RunQuery, { api, signal }: ToolContext) {
  const answer: Partial<Awaited<ReturnType<typeof api.queryRuns>>> | undefined = await api.queryRuns({
    body: {
      ...query,
      error: true,
      limit: NEWEST_ERRORS,
      select: ['id', 'trace_id', 'name', 'error', 'start_time'],
    },
    signal,
  });
  if (!Array.isArray(answer?.runs)) throw unexpectedAnswer();
  return groupErrors(answer.runs);
}
