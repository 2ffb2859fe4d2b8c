import type { RunQuery } from '@roadstead/contracts/observability';
import { malformed, Problem } from '@roadstead/kit';
import type { PayloadKind } from '../ingest/run-operation.ts';
import { type Cursor, readCursor } from './cursor-rules.ts';
import { instantOf } from './instant-rules.ts';

/** What `POST /runs/query` asks for, checked and with its defaults. */
export interface RunSearch {
  /** Where to look; the first of these that was given, since the others then only narrow it down. */
  readonly by:
    | { readonly kind: 'ids'; readonly ids: readonly string[] }
    | { readonly kind: 'trace'; readonly trace_id: string }
    | { readonly kind: 'parent'; readonly run_id: string }
    | { readonly kind: 'examples'; readonly ids: readonly string[] }
    | { readonly kind: 'sessions'; readonly ids: readonly string[] };
  readonly filter: RunFilter;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly cursor: Cursor | undefined;
}

export interface RunFilter {
  readonly session_ids?: readonly string[] | undefined;
  readonly trace_id?: string | undefined;
  readonly parent_run_id?: string | undefined;
  readonly reference_example_ids?: readonly string[] | undefined;
  readonly run_type?: string | undefined;
  readonly has_error?: boolean | undefined;
  readonly is_root?: boolean | undefined;
  readonly min_start_time?: string | undefined;
  readonly max_start_time?: string | undefined;
}

const languages = ['filter', 'trace_filter', 'tree_filter', 'search_filter', 'query'] as const;
const MAX_PAGE = 100;

/** @throws Problem naming the field that can't be answered. */
export function runSearchOf(query: RunQuery, max_page = MAX_PAGE): RunSearch {
  refuseLanguages(query);
  if ((query.limit ?? 0) > max_page)
    throw new Problem('invalid', `Limit exceeds maximum allowed value of ${max_page}`);
  const page = {
    order: query.order ?? 'desc',
    limit: query.limit ?? MAX_PAGE,
    cursor: readCursor(query.cursor, 'body'),
  } as const;
  const ids = lowerCase(query.id);
  if (ids !== undefined) return { by: { kind: 'ids', ids }, filter: {}, ...page };
  const filter = {
    session_ids: lowerCase(query.session),
    trace_id: query.trace?.toLowerCase(),
    parent_run_id: query.parent_run?.toLowerCase(),
    reference_example_ids: lowerCase(query.reference_example),
    run_type: query.run_type ?? undefined,
    has_error: query.error ?? undefined,
    is_root: query.is_root ?? (query.execution_order === 1 ? true : undefined),
    min_start_time: bound(query.start_time, 'start_time'),
    max_start_time: bound(query.end_time, 'end_time'),
  };
  return { by: placeOf(filter), filter, ...page };
}

function placeOf(filter: RunFilter): RunSearch['by'] {
  if (filter.trace_id !== undefined) return { kind: 'trace', trace_id: filter.trace_id };
  if (filter.parent_run_id !== undefined) return { kind: 'parent', run_id: filter.parent_run_id };
  if (filter.reference_example_ids !== undefined)
    return { kind: 'examples', ids: filter.reference_example_ids };
  if (filter.session_ids !== undefined) return { kind: 'sessions', ids: filter.session_ids };
  throw new Problem(
    'invalid',
    'At least one of session, id, trace, parent_run and reference_example is needed.',
  );
}

/** The filter language is refused by name, never ignored: who filters must not get what was not asked for. */
export function refuseLanguages(query: Readonly<Record<string, unknown>>): void {
  const used = languages.find(
    (name) => query[name] !== undefined && query[name] !== null && query[name] !== '',
  );
  if (used === undefined) return;
  throw new Problem('not_implemented', `\`${used}\` is not built yet; leave it out.`);
}

function lowerCase(ids: readonly string[] | null | undefined): readonly string[] | undefined {
  return ids === undefined || ids === null || ids.length === 0
    ? undefined
    : ids.map((id) => id.toLowerCase());
}

function bound(text: string | null | undefined, name: string): string | undefined {
  if (text === undefined || text === null) return undefined;
  const instant = instantOf(text);
  if (instant === undefined) throw malformed(['body', name], 'is not an ISO 8601 instant');
  return instant;
}

/** What the original keeps outside of its database. */
const stored_aside: readonly PayloadKind[] = ['inputs', 'outputs', 'events', 'serialized'];

/** What a reader of one run doesn't want. */
export function leftOut(query: {
  readonly exclude_serialized?: boolean | undefined;
  readonly exclude_s3_stored_attributes?: boolean | undefined;
}): ReadonlySet<PayloadKind> {
  if (query.exclude_s3_stored_attributes === true) return new Set(stored_aside);
  return new Set(query.exclude_serialized === true ? ['serialized'] : []);
}
