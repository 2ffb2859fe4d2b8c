import { TimeSlice } from '@roadstead/kit';
import type { Database, Queryable } from '@roadstead/postgres';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import { listFacets } from './session-facet-store.ts';
import {
  type Medians,
  readSessionFacts,
  readSessionMedians,
  type SessionFacts,
  type StatsScope,
} from './session-facts-work.ts';
import type { SessionTest } from './session-filter-rules.ts';
import type { Facet, SessionRow } from '../session-records/session-row.ts';
import {
  listSessionIds,
  listSessions,
  readSessions,
  type SessionFilter,
} from '../session-records/session-store.ts';
import type { OffsetPage } from '../values/pages.ts';

export interface ListedSession {
  readonly row: SessionRow;
  readonly facts: SessionFacts | undefined;
  readonly facets: readonly Facet[] | undefined;
  readonly medians: Medians | undefined;
}

/** The largest number of values of one kind. */
const FACET_VALUES = 10;

/** The facts by which projects are sorted. */
const known = {
  last_run_start_time: ({ stats }) => stats.last_run_start_time,
  latency_p50: ({ stats }) => stats.latency_p50,
  latency_p99: ({ stats }) => stats.latency_p99,
  error_rate: ({ stats }) => stats.error_rate,
  runs_count: ({ stats }) => stats.run_count,
} as const satisfies Record<string, (facts: SessionFacts) => Value>;

interface FeedbackSort {
  readonly key: string;
  /** Whether the feedback is on runs, or on the project as a whole. */
  readonly source: 'run' | 'session';
}

export type SessionSort = 'name' | 'start_time' | keyof typeof known | FeedbackSort;

export interface SessionListing extends OffsetPage, StatsScope {
  readonly sort_by: SessionSort;
  readonly descending: boolean;
  readonly include_stats: boolean;
  readonly include_facets: boolean;
  /** Whether medians of scores are included, for the listed projects only. */
  readonly include_medians?: boolean;
  /** The test that listed projects must pass. */
  readonly test?: SessionTest | undefined;
}

/** Whether the list depends on rollups or search rows. */
export function needsDigest({ sort_by, include_stats, include_facets, test }: SessionListing): boolean {
  return include_stats || include_facets || test !== undefined || !isColumn(sort_by);
}

const isColumn = (sort: SessionSort): sort is 'name' | 'start_time' =>
  sort === 'name' || sort === 'start_time';

/**
 * A page of the projects that match. Projects without the value that they are sorted by come last, in both
 * directions.
 */
export async function listSessionsWithFacts(
  db: Database,
  filter: SessionFilter,
  listing: SessionListing,
): Promise<ListedSession[]> {
  return listing.matching === undefined && !listing.include_facets
    ? listWithFacts(db, filter, listing)
    : inLimitedTime(db, async (tx) => listWithFacts(tx, filter, listing));
}

async function listWithFacts(
  db: Queryable,
  filter: SessionFilter,
  listing: SessionListing,
): Promise<ListedSession[]> {
  const { workspace_id } = filter;
  const { include_facets, include_medians = false } = listing;
  const page = await pageOf(db, filter, listing);
  const session_ids = include_medians ? page.map(({ row }) => row.id) : [];
  const medians = await readSessionMedians(db, { ...listing, workspace_id, session_ids });
  const listed: ListedSession[] = [];
  for (const one of page) {
    const session = { workspace_id, session_id: one.row.id };
    const facets = include_facets ? await listFacets(db, session, { count: FACET_VALUES }) : undefined;
    listed.push({ ...one, facets, medians: medians.get(one.row.id) });
  }
  return listed;
}

async function pageOf(
  db: Queryable,
  filter: SessionFilter,
  listing: SessionListing,
): Promise<Pick<ListedSession, 'row' | 'facts'>[]> {
  const { sort_by, include_stats, since, matching, offset, limit } = listing;
  const { workspace_id } = filter;
  if (isColumn(sort_by) && listing.test === undefined) {
    const rows = await listSessions(db, filter, { ...listing, sort_by });
    const session_ids = include_stats ? rows.map((row) => row.id) : [];
    const facts = await readSessionFacts(db, { workspace_id, session_ids, since, matching });
    return rows.map((row) => ({ row, facts: facts.get(row.id) }));
  }
  const ids = await listSessionIds(db, filter);
  const facts = await readSessionFacts(db, { workspace_id, session_ids: ids, since, matching });
  const rows = await readSessions(db, { workspace_id, ids });
  const slice = new TimeSlice();
  const found: { readonly row: SessionRow; readonly facts: SessionFacts }[] = [];
  for (const row of rows) {
    const of_row = facts.get(row.id);
    if (of_row !== undefined && listing.test?.(row, of_row) !== false) found.push({ row, facts: of_row });
    if (slice.isOver()) await slice.next();
  }
  // A stable sort leaves them in the order of their ids where they are equal.
  return (listing.descending ? found.toReversed() : found)
    .map((one) => ({ ...one, value: valueOf(one.row, one.facts, sort_by) }))
    .sort((a, b) => compare(a.value, b.value, listing))
    .slice(offset, offset + limit)
    .map((one) => ({ row: one.row, facts: include_stats ? one.facts : undefined }));
}

type Value = string | number | null;

function valueOf(row: SessionRow, facts: SessionFacts, sort: SessionSort): Value {
  if (isColumn(sort)) return row[sort];
  if (typeof sort === 'string') return known[sort](facts);
  return (sort.source === 'run' ? facts.feedback : facts.session_feedback)[sort.key]?.avg ?? null;
}

function compare(a: Value, b: Value, { descending }: { readonly descending: boolean }): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b === descending ? 1 : -1;
}
