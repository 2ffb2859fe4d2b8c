import type { SeriesAnswer, SeriesSums } from '@roadstead/contracts/observability';
import { Problem, TimeSlice } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import { changesOf, countedOf, mergedRollup, type Rollup } from '../digest/rollup-rules.ts';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import { asksSearchRows } from '../queries/run-query-rules.ts';
import type { RunSearching } from '../queries/run-search-work.ts';
import { readRootsBetween } from '../statistics/session-stats-store.ts';
import type { InWorkspace, SessionKeys } from '../values/keys.ts';
import { datesOf, dayNumber, sumsOfRollup, wholeDays } from './series-rollup-rules.ts';
import {
  isRolledUp,
  searchOfSeries,
  seriesAnswer,
  type SeriesRequest,
  type Span,
  type SummedSeries,
} from './series-rules.ts';
import { linesOf } from './series-line-rules.ts';
import {
  listSeriesProjects,
  readDayRollups,
  readSeries,
  readSeriesFeedback,
  type SeriesScan,
} from './series-store.ts';

/** Whole days of whole projects come from their rollups, everything else from reading each run. */

export async function querySeries(
  searching: RunSearching,
  {
    workspace_id,
    request,
    now_ms,
  }: InWorkspace & { readonly request: SeriesRequest; readonly now_ms: number },
): Promise<SeriesAnswer> {
  const { db, digest } = searching;
  const ids = request.project_ids;
  const session_ids = await listSeriesProjects(db, { workspace_id, ids });
  if (ids !== undefined && session_ids.length < new Set(ids).size)
    throw new Problem('not_found', 'There is no such tracing project.');
  const search = searchOfSeries(request, session_ids);
  const rolled_up = isRolledUp(request);
  if (rolled_up || request.grouping === 'revision' || asksSearchRows(search.asked))
    await digest.caughtUp(workspace_id);
  const summed = await inLimitedTime(db, async (tx) =>
    rolled_up
      ? [await ofDays(tx, { workspace_id, session_ids }, { request, now_ms })]
      : ofRuns(tx, { workspace_id, search, request }),
  );
  return seriesAnswer(request, summed);
}

async function ofRuns(db: Queryable, scan: SeriesScan): Promise<SummedSeries[]> {
  const { request } = scan;
  const rows = await readSeries(db, scan);
  const groups = rows.flatMap(({ kind, group }) => (kind === 'group' && group !== null ? [group] : []));
  const feedback = request.parts.has('feedback')
    ? await readSeriesFeedback(db, scan, { groups: [...new Set(groups)] })
    : [];
  return linesOf(request, { rows, feedback });
}

interface DayScan {
  readonly request: SeriesRequest;
  readonly now_ms: number;
}

async function ofDays(
  db: Queryable,
  sessions: SessionKeys,
  { request, now_ms }: DayScan,
): Promise<SummedSeries> {
  const { span, before, parts } = request;
  const days = await rollupsOf(db, sessions, { span, now_ms });
  const earlier =
    before === undefined ? [] : [...(await rollupsOf(db, sessions, { span: before, now_ms })).values()];
  const slice = new TimeSlice();
  const buckets = new Map<number, SeriesSums>();
  for (const [day, rollups] of days) {
    buckets.set(day, sumsOfRollup(mergedRollup(rollups), parts));
    if (slice.isOver()) await slice.next();
  }
  const total = sumsOfRollup(mergedRollup([...days.values()].flat()), parts);
  await slice.next();
  return {
    kind: 'all',
    group: null,
    buckets,
    total,
    before: sumsOfRollup(mergedRollup(earlier.flat()), parts),
  };
}

/** The rollups of a span by day: stored ones of whole days, and made ones of the days that it cuts. */
async function rollupsOf(
  db: Queryable,
  sessions: SessionKeys,
  { span, now_ms }: { readonly span: Span; readonly now_ms: number },
): Promise<Map<number, Rollup[]>> {
  const { whole, cut } = wholeDays(span, now_ms);
  const stored = whole === undefined ? [] : await readDayRollups(db, { ...sessions, ...datesOf(whole) });
  const roots = await Promise.all(
    cut.map(async (part) =>
      readRootsBetween(db, {
        ...sessions,
        from: new Date(part.from_ms).toISOString(),
        to: new Date(part.to_ms).toISOString(),
      }),
    ),
  );
  const made = changesOf(roots.flat().map((root) => ({ was: null, is: countedOf(root) })));
  const all = [...stored, ...made.map(({ day, change }) => ({ day, ...change }))];
  const days = new Map<number, Rollup[]>();
  for (const { day, ...rollup } of all) {
    const number = dayNumber(day);
    if (number !== undefined) days.set(number, [...(days.get(number) ?? []), rollup]);
  }
  return days;
}
