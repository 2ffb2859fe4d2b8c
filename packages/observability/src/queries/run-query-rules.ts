import type { RunQuery } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';
import { type Condition, conditionOf } from '../filters/filter-conditions.ts';
import { parseFilter } from '../filters/filter-parser.ts';
import { type Filter, filterText } from '../filters/filter-tree.ts';
import { runFields } from '../filters/run-fields.ts';
import type { PayloadKind } from '../records/run-operation.ts';
import { type Cursor, readCursor } from './cursor-rules.ts';
import { sentInstant } from '../values/instant-rules.ts';
import { narrowed, type RunFilter } from './narrowing-rules.ts';

/** The query of `POST /runs/query`, checked and with its defaults. */
export interface RunSearch {
  /** The place to search: the first of these that was given, since the others then only narrow it down. */
  readonly by:
    | { readonly kind: 'ids'; readonly ids: readonly string[] }
    | { readonly kind: 'trace'; readonly trace_id: string }
    | { readonly kind: 'parent'; readonly run_id: string }
    | { readonly kind: 'examples'; readonly ids: readonly string[] }
    | { readonly kind: 'sessions'; readonly ids: readonly string[] };
  readonly filter: RunFilter;
  readonly asked: RunConditions;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly cursor: Cursor | undefined;
}

/** The conditions of the filter language. */
export interface RunConditions {
  /** The condition on the run itself. */
  readonly run?: Condition | undefined;
  /** The condition on the root of its trace. */
  readonly root?: Condition | undefined;
  /** The condition on at least one run of its trace. */
  readonly tree?: Condition | undefined;
  /** `filter` as it was parsed. */
  readonly parsed_query: string | null;
}

const MAX_PAGE = 100;

/** @throws Problem naming the field that can't be answered. */
export function runSearchOf(query: RunQuery, max_page = MAX_PAGE): RunSearch {
  if ((query.limit ?? 0) > max_page)
    throw new Problem('invalid', `Limit exceeds maximum allowed value of ${max_page}`);
  const page = {
    order: query.order ?? 'desc',
    limit: query.limit ?? MAX_PAGE,
    cursor: readCursor(query.cursor, 'body'),
  } as const;
  const ids = lowerCase(query.id);
  // Clients document that ids override all other conditions, and send some by default.
  if (ids !== undefined)
    return { by: { kind: 'ids', ids }, filter: {}, asked: { parsed_query: null }, ...page };
  const asked = conditionsOf(query);
  const filter = narrowed(runFilterOf(query), asked.run);
  return { by: placeOf(filter), filter, asked, ...page };
}

/** The parameters that select runs, with or without a page. */
type RunParameters = Pick<
  RunQuery,
  | 'id'
  | 'trace'
  | 'parent_run'
  | 'run_type'
  | 'session'
  | 'reference_example'
  | 'execution_order'
  | 'start_time'
  | 'end_time'
  | 'error'
  | 'is_root'
  | 'filter'
  | 'trace_filter'
  | 'tree_filter'
  | 'search_filter'
  | 'query'
>;

function runFilterOf(query: RunParameters): RunFilter {
  return {
    session_ids: lowerCase(query.session),
    trace_id: query.trace?.toLowerCase(),
    parent_run_id: query.parent_run?.toLowerCase(),
    reference_example_ids: lowerCase(query.reference_example),
    has_error: query.error ?? undefined,
    is_root: query.is_root ?? (query.execution_order === 1 ? true : undefined),
    min_start_time: sentInstant(query.start_time, ['body', 'start_time']),
    max_start_time: sentInstant(query.end_time, ['body', 'end_time']),
  };
}

function conditionsOf(query: RunParameters): RunConditions {
  if (isSaid(query.query))
    throw new Problem(
      'malformed',
      '`query` is a question in natural language, which this server cannot answer.',
      {
        hint: 'Ask by `filter`; words are found by search("…").',
      },
    );
  const filter = parsed(query.filter, 'filter');
  const search = parsed(query.search_filter, 'search_filter');
  const type: Filter | undefined =
    query.run_type === null || query.run_type === undefined
      ? undefined
      : {
          kind: 'comparison',
          comparator: 'eq',
          field: { name: 'run_type', type: 'text' },
          value: query.run_type,
        };
  const all = [type, filter, search].filter((one) => one !== undefined).map(conditionOf);
  const root = parsed(query.trace_filter, 'trace_filter');
  const tree = parsed(query.tree_filter, 'tree_filter');
  return {
    run: all.length === 0 ? undefined : all.length === 1 ? all[0] : { kind: 'all', of: all },
    root: root && conditionOf(root),
    tree: tree && conditionOf(tree),
    parsed_query: filter === undefined ? null : filterText(filter),
  };
}

/** The conditions of a filter for statistics. @throws Problem where the text is no filter. */
export function runsMatching(stats_filter: string | undefined): RunConditions | undefined {
  const filter = parsed(stats_filter, 'stats_filter');
  return filter && { run: conditionOf(filter), parsed_query: null };
}

const isSaid = (text: string | null | undefined): text is string =>
  text !== null && text !== undefined && text.trim() !== '';

function parsed(text: string | null | undefined, parameter: string): Filter | undefined {
  return isSaid(text) ? parseFilter(text, { parameter, fields: runFields }) : undefined;
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

function lowerCase(ids: readonly string[] | null | undefined): readonly string[] | undefined {
  return ids === undefined || ids === null || ids.length === 0
    ? undefined
    : ids.map((id) => id.toLowerCase());
}

/** The order in which runs are read: for the page before a cursor, backwards from the cursor. */
export function readingOrder({ order, cursor }: Pick<RunSearch, 'order' | 'cursor'>): 'asc' | 'desc' {
  if (cursor?.is_back !== true) return order;
  return order === 'asc' ? 'desc' : 'asc';
}

const YEAR_1_MS = -62_135_596_800_000;
const YEAR_9999_MS = 253_402_300_799_000;

/** The place at this distance from another in the order of reading, after everything that began at the same time. */
export function placeBeyond(
  { start_time }: Cursor,
  { ms, order }: { readonly ms: number; readonly order: 'asc' | 'desc' },
): Cursor {
  const from = Date.parse(start_time);
  const to = order === 'asc' ? Math.min(from + ms, YEAR_9999_MS) : Math.max(from - ms, YEAR_1_MS);
  const run_id = order === 'asc' ? LAST_ID : FIRST_ID;
  return { start_time: new Date(Math.round(to)).toISOString(), run_id };
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export interface RunPage<Row> {
  readonly rows: readonly Row[];
  readonly next: Cursor | undefined;
  readonly prev: Cursor | undefined;
}

/** @param found in the order of reading, one more than a page where the reading could go on. */
export function pageOf<Row extends Cursor>(
  found: readonly Row[],
  { limit, cursor }: Pick<RunSearch, 'limit' | 'cursor'>,
): RunPage<Row> {
  const is_back = cursor?.is_back === true;
  const read = found.slice(0, limit);
  const rows = is_back ? read.toReversed() : read;
  const [first, last] = [rows[0], rows.at(-1)];
  const goes_on = found.length > limit;
  return {
    rows,
    next: (is_back ? cursor !== undefined : goes_on) ? last : undefined,
    prev:
      first !== undefined && (is_back ? goes_on : cursor !== undefined)
        ? { start_time: first.start_time, run_id: first.run_id, is_back: true }
        : undefined,
  };
}

/** Whether a condition needs search rows, which lag behind the runs. */
export function asksSearchRows({ run, root, tree }: RunConditions): boolean {
  return [run, root, tree].some((condition) => condition !== undefined && isOfSearchRow(condition));
}

function isOfSearchRow(condition: Condition): boolean {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.some(isOfSearchRow);
    case 'not':
      return isOfSearchRow(condition.of);
    case 'words':
      return true;
    case 'entry':
      return condition.family !== 'feedback';
    case 'column':
    case 'tag':
      return false;
  }
}

/** The fields that the original stores outside of its database. */
const stored_aside: readonly PayloadKind[] = ['inputs', 'outputs', 'events', 'serialized'];

/** The payloads that a reader of one run leaves out. */
export function leftOut(query: {
  readonly exclude_serialized?: boolean | undefined;
  readonly exclude_s3_stored_attributes?: boolean | undefined;
}): ReadonlySet<PayloadKind> {
  if (query.exclude_s3_stored_attributes === true) return new Set(stored_aside);
  return new Set(query.exclude_serialized === true ? ['serialized'] : []);
}
