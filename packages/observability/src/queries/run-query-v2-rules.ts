import type { RunQueryV2, TraceQuery } from '@roadstead/contracts/observability';
import { malformed, Problem } from '@roadstead/kit';
import { type RunSearch, runSearchOf } from './run-query-rules.ts';

/** Queries of v2 as the one kind of search of runs. */

const MAX_PAGE = 1000;
const DAY_MS = 86_400_000;

export interface SearchScope {
  /** The projects to look in. */
  readonly session_ids: readonly string[];
  readonly now_ms: number;
}

/** The window of a query of v2: the last day, unless the query names a beginning, or its runs. */
export function windowOf(
  query: {
    readonly min_start_time?: string | null | undefined;
    readonly max_start_time?: string | null | undefined;
  },
  now_ms: number,
) {
  return {
    min_start_time: query.min_start_time ?? aDayBefore(now_ms),
    max_start_time: query.max_start_time ?? undefined,
  };
}
const aDayBefore = (now_ms: number): string => new Date(now_ms - DAY_MS).toISOString();

/** @throws Problem naming the field that can't be answered. */
export function runSearchV2Of(query: RunQueryV2, { session_ids, now_ms }: SearchScope): RunSearch {
  refuseSemantics(query);
  const ids = listOf(query.ids);
  const is_known = ids !== undefined || query.trace_id != null || query.reference_dataset_id != null;
  const search = runSearchOf(
    {
      session: [...session_ids],
      trace: query.trace_id,
      is_root: query.is_root,
      run_type: query.run_type?.toLowerCase() as Parameters<typeof runSearchOf>[0]['run_type'],
      error: query.has_error,
      filter: query.filter,
      trace_filter: query.trace_filter,
      tree_filter: query.tree_filter,
      reference_example: query.reference_examples,
      start_time: query.min_start_time ?? (is_known ? undefined : aDayBefore(now_ms)),
      end_time: query.max_start_time,
      order: query.sort_order?.toLowerCase() === 'asc' ? 'asc' : 'desc',
      cursor: query.cursor,
      limit: query.page_size,
    },
    MAX_PAGE,
  );
  return ids === undefined ? search : { ...search, by: { kind: 'ids', ids } };
}

/** A search for root runs; `trace_filter` applies to them. */
export function traceSearchOf(
  { trace_ids, trace_filter, ...query }: TraceQuery,
  asked: SearchScope,
): RunSearch {
  const { project_id: _project, ...page } = query;
  return runSearchV2Of({ ...page, ids: trace_ids, filter: trace_filter, is_root: true }, asked);
}

/** A search for the runs of one trace, oldest first. */
export function traceRunsSearchOf(
  trace_id: string,
  query: {
    readonly filter?: string | undefined;
    readonly min_start_time?: string | undefined;
    readonly max_start_time?: string | undefined;
  },
): RunSearch {
  const { filter, min_start_time: start_time, max_start_time: end_time } = query;
  return runSearchOf({ trace: trace_id, filter, start_time, end_time, order: 'asc' });
}

/** Requires exactly one of the two places to search. */
export function requireOnePlace({ project_ids, reference_dataset_id }: RunQueryV2): void {
  const has_projects = listOf(project_ids) !== undefined;
  if (has_projects !== (reference_dataset_id != null)) return;
  throw malformed(
    ['body', has_projects ? 'reference_dataset_id' : 'project_ids'],
    'set exactly one of project_ids and reference_dataset_id',
  );
}

const semantic = ['ai_query', 'ai_search', 'sem_filter'] as const;

/** Refuses questions in natural language, which need a model. */
export function refuseSemantics(query: { readonly [name in (typeof semantic)[number]]?: unknown }): void {
  const used = semantic.find((name) => query[name] != null && query[name] !== '');
  if (used === undefined) return;
  throw new Problem('not_implemented', `This server asks no model, so it can't answer \`${used}\`.`, {
    hint: 'Write the same in the filter language, in `filter`, `trace_filter` or `tree_filter`.',
  });
}

function listOf(ids: readonly string[] | null | undefined): readonly string[] | undefined {
  return ids == null || ids.length === 0 ? undefined : ids.map((id) => id.toLowerCase());
}
