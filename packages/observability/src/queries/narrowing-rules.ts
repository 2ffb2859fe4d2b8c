import type { Condition, Test } from '../filters/filter-conditions.ts';
import { instantOf } from '../values/instant-rules.ts';

/**
 * The conditions of a filter on the columns that order runs. They are repeated as parameters of the query, which have
 * indexes of their own.
 */

/** The conditions by which runs are read, beside those of the filter language. */
export interface RunFilter {
  readonly session_ids?: readonly string[] | undefined;
  readonly trace_id?: string | undefined;
  readonly parent_run_id?: string | undefined;
  readonly reference_example_ids?: readonly string[] | undefined;
  readonly has_error?: boolean | undefined;
  readonly is_root?: boolean | undefined;
  readonly thread_id?: string | undefined;
  readonly min_start_time?: string | undefined;
  readonly max_start_time?: string | undefined;
}

type Column = Extract<Condition, { readonly kind: 'column' }>;

export function narrowed(filter: RunFilter, condition: Condition | undefined): RunFilter {
  const columns = condition === undefined ? [] : columnsOf(condition);
  const facts = columns.reduce<RunFilter>((known, { name, test }) => factOf(known, name, test), filter);
  // Only roots are found by their threads.
  return facts.is_root === true ? facts : { ...facts, thread_id: undefined };
}

/** Whether the condition names runs or traces, of which few exist. */
export const pointsAtRuns = (condition: Condition | undefined): boolean =>
  condition !== undefined &&
  columnsOf(condition).some(
    ({ name, test }) => (name === 'id' || name === 'trace_id') && (test.by === 'eq' || test.by === 'in'),
  );

/** The conditions on columns that must hold, whatever stands beside them. */
function columnsOf(condition: Condition): Column[] {
  if (condition.kind === 'all') return condition.of.flatMap(columnsOf);
  return condition.kind === 'column' ? [condition] : [];
}

function factOf(known: RunFilter, name: string, test: Test): RunFilter {
  const is = test.by === 'eq' ? test.value : undefined;
  switch (name) {
    case 'is_root':
      return typeof is === 'boolean' ? { is_root: is, ...stated(known) } : known;
    case 'status':
      return is === 'error' ? { has_error: true, ...stated(known) } : known;
    case 'thread_id':
      return is === undefined ? known : { ...known, thread_id: String(is) };
    case 'start_time':
      return test.by === 'gt' || test.by === 'gte' || test.by === 'lt' || test.by === 'lte'
        ? bounded(known, { from: test.by.startsWith('g'), instant: instantOf(test.value) })
        : known;
    default:
      return known;
  }
}

/** The filter without undefined fields. */
const stated = (filter: RunFilter): RunFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));

function bounded(
  known: RunFilter,
  { from, instant }: { readonly from: boolean; readonly instant: string | undefined },
): RunFilter {
  if (instant === undefined) return known;
  const { min_start_time: min = instant, max_start_time: max = instant } = known;
  return from
    ? { ...known, min_start_time: min > instant ? min : instant }
    : { ...known, max_start_time: max < instant ? max : instant };
}
