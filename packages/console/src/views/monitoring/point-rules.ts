import type { Series, SeriesQuery } from '@roadstead/contracts/observability';
import { narrowedBy } from '../../filters/filter-rules.ts';

/** Which runs a point of a chart stands for, in the filter language. */

export type Grouping = NonNullable<SeriesQuery['group_by']>['attribute'];

export const FAILED = 'eq(status, "error")';

type Condition = (group: string) => string;

const text = (value: string) => JSON.stringify(value);

const conditions: Readonly<Record<Grouping, Condition>> = {
  project: (group) => `eq(session_id, ${text(group)})`,
  model: (group) => `eq(model, ${text(group)})`,
  tool: (group) => `and(eq(run_type, "tool"), eq(name, ${text(group)}))`,
  revision: (group) => `eq(metadata.revision_id, ${text(group)})`,
  tag: (group) => `has(tags, ${text(group)})`,
  status: (group) => `eq(status, ${text(group)})`,
  run_type: (group) => `eq(run_type, ${text(group)})`,
};

/** What the runs of a line have in common; undefined for all of them. */
export const groupCondition = (
  { kind, group }: Pick<Series, 'kind' | 'group'>,
  by: Grouping | undefined,
): string | undefined =>
  by === undefined || kind !== 'group' || group === null ? undefined : conditions[by](group);

/** All of these; undefined where there are none. */
export const allOf = (found: readonly (string | undefined)[]): string | undefined =>
  found.reduce(
    (filter, condition) => (condition === undefined ? filter : narrowedBy(filter, condition)),
    undefined,
  );

interface Answer {
  readonly start_time: string;
  readonly end_time: string;
  readonly bucket_s: number;
}

/** The time of a bucket, as far as it lies in the period. The end belongs to it. */
export function bucketRange(at_ms: number, { start_time, end_time, bucket_s }: Answer) {
  const from = Math.max(at_ms, Date.parse(start_time));
  const to = Math.min(at_ms + bucket_s * 1000, Date.parse(end_time)) - 1;
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
