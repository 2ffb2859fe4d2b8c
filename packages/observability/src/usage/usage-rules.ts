import { Problem } from '@roadstead/kit';
import type { InWorkspace } from '../values/keys.ts';

/** The unit of usage is a trace; the two metrics are those that LangSmith bills. */
const metrics = [
  { id: 'langsmith-traces', name: 'LangSmith Traces (Base Charge)', column: 'traces' },
  {
    id: 'langsmith-extended-retention',
    name: 'LangSmith Traces (Extended Data Retention Upgrades)',
    column: 'longlived',
  },
] as const;

export interface DayUsage {
  readonly day: string;
  readonly traces: number;
  readonly longlived: number;
}

/** The usage, one entry for each metric and day. */
export function usageAnswer(days: readonly DayUsage[], workspace_id: string) {
  return metrics.flatMap(({ id, name, column }) =>
    days.map(({ day, ...counted }) => ({
      customer_id: workspace_id,
      billable_metric_id: id,
      billable_metric_name: name,
      start_timestamp: startOf(day),
      end_timestamp: startOf(dayAfter(day)),
      value: counted[column],
      groups: { [workspace_id]: counted[column] },
    })),
  );
}

export const startOf = (day: string) => `${day}T00:00:00+00:00`;

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const dayAfter = (day: string) => dayOf(Date.parse(`${day}T00:00:00Z`) + DAY_MS);

/** The days of a span of time: the one of `from`, and all that begin before `before`. */
export function daysBetween(
  from: string,
  before: string,
): { readonly from: string; readonly before: string } {
  const end_ms = instantMs(before);
  const last = dayOf(end_ms);
  const isMidnight = end_ms % DAY_MS === 0;
  return { from: dayOf(instantMs(from)), before: isMidnight ? last : dayAfter(last) };
}

/** A time in milliseconds; without an offset it is UTC. */
function instantMs(text: string): number {
  const has_offset = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) || /^\d{4}-\d{2}-\d{2}$/.test(text);
  const ms = Date.parse(has_offset ? text : `${text}Z`);
  const found = Number.isNaN(ms) ? Date.parse(text) : ms;
  if (Number.isNaN(found) || Math.abs(found) > 8e14)
    throw new Problem('invalid', 'The time is out of range.');
  return found;
}

/** The month of a time, from its first day up to the first of the next one. */
export function monthOf(now_ms: number): { readonly from: string; readonly before: string } {
  const now = new Date(now_ms);
  const first = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1);
  return { from: dayOf(first(0)), before: dayOf(first(1)) };
}

/** Clients ask again a few times, then drop what they have: each wait must be short. */
const RETRY_AFTER_S = 10;

export const USAGE_LIMIT = 'usage_limit_exceeded';

/** A limit that allows no more traces. */
export interface ReachedLimit {
  readonly kind: 'monthly_traces' | 'monthly_bytes';
  readonly limit: number;
}

const sentences: Readonly<Record<ReachedLimit['kind'], (limit: number) => string>> = {
  monthly_traces: (limit) =>
    `Monthly unique traces usage limit exceeded: the workspace may begin ${limit} traces a month.`,
  monthly_bytes: (limit) =>
    `Monthly bytes usage limit exceeded: the traces of the workspace may bring ${limit} bytes a month.`,
};

export function limitReached({ kind, limit }: ReachedLimit): Problem {
  return new Problem('limit', sentences[kind](limit), {
    code: USAGE_LIMIT,
    hint: 'Raise or remove the limit at /usage-limits, or wait for the next month.',
    retry_after_s: RETRY_AFTER_S,
  });
}

export interface WorkspaceBytes extends InWorkspace {
  readonly bytes: number;
}

/** The order is the same everywhere, so that two transactions can't wait for each other. */
export function bytesByWorkspace(bytes_sent: readonly WorkspaceBytes[]): WorkspaceBytes[] {
  return [...Map.groupBy(bytes_sent, ({ workspace_id }) => workspace_id)]
    .map(([workspace_id, some]) => ({
      workspace_id,
      bytes: some.reduce((sum, { bytes }) => sum + bytes, 0),
    }))
    .filter(({ bytes }) => bytes > 0)
    .toSorted((a, b) => (a.workspace_id < b.workspace_id ? -1 : 1));
}
