import { TimeSlice, uuidv7 } from '@roadstead/kit';
import fc from 'fast-check';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { findIndexedRuns } from '../queries/run-lookup-store.ts';
import type { RunSearch } from '../queries/run-query-rules.ts';
import { findSessionRuns, type FoundRun } from '../queries/run-query-store.ts';
import { searchRuns } from '../queries/run-search-work.ts';
import { foundColumns } from '../queries/run-sql-store.ts';
import { readTraceFacts } from '../records/trace-store.ts';
import { searchEntryOf } from '../search/search-entry.ts';
import { anyFilter, maybe, sentRun } from './generated-filters.ts';
import { type Fixture, startFixture, WORKSPACE } from './observability-fixture.ts';
import { type Condition, conditionOf } from '../filters/filter-conditions.ts';
import { passes, type Subject } from '../filters/filter-evaluator.ts';
import { lookupOf } from '../filters/filter-lookup-rules.ts';
import { parseFilter } from '../filters/filter-parser.ts';
import { runFields } from '../filters/run-fields.ts';
import { type FeedbackSides, runSubject } from '../filters/run-subject.ts';

interface SeededRun {
  readonly row: FoundRun;
  readonly subject: Subject;
}

let fixture: () => Fixture;
let session_id = '';
let seeded: readonly SeededRun[] = [];
const ready = { caughtUp: async () => undefined };

async function seedRuns(): Promise<void> {
  const traces = fc.sample(fc.array(sentRun, { minLength: 1, maxLength: 4 }), { numRuns: 40, seed: 7 });
  const sent = traces.flatMap((runs) => {
    const trace_id = uuidv7();
    return runs.map((run, index) => ({ ...run, id: index === 0 ? trace_id : uuidv7(), trace_id, index }));
  });
  const begin = Date.parse('2026-01-05T00:00:00Z');
  const at = (ms: number) => new Date(begin + ms).toISOString();
  const post = sent.map((run) => ({
    id: run.id,
    trace_id: run.trace_id,
    dotted_order: run.index === 0 ? `x${run.trace_id}` : `x${run.trace_id}.x${run.id}`,
    ...(run.index === 0 ? {} : { parent_run_id: run.trace_id }),
    name: run.name,
    run_type: run.run_type,
    start_time: at(run.at_ms),
    ...(run.latency_ms === undefined ? {} : { end_time: at(run.at_ms + run.latency_ms) }),
    session_name: 'filtered',
    error: run.error,
    tags: run.tags,
    inputs: run.inputs,
    outputs: {
      ...run.outputs,
      usage_metadata: {
        input_tokens: run.tokens,
        output_tokens: 1,
        total_tokens: run.tokens + 1,
        total_cost: 0.25,
      },
    },
    extra: {
      metadata: {
        ...run.metadata,
        ...(run.thread_id === undefined ? {} : { thread_id: run.thread_id }),
        ...('ls_model_name' in run.models && { ls_model_name: run.models.ls_model_name }),
      },
      ...('model' in run.models && { invocation_params: { model: run.models.model } }),
    },
  }));
  const posted = await fixture().send('/runs/batch', { method: 'POST', body: JSON.stringify({ post }) });
  if (posted.status !== 202) throw new Error(await posted.text());
  session_id =
    (
      await fixture()
        .client()
        .listSessions({ query: { name: 'filtered', include_stats: 'true' } })
    )[0]?.id ?? '';
  const { db } = fixture().fresh;
  for (const { id, feedback } of sent)
    for (const { key, score, value, source, comment } of feedback)
      await db.run(
        `insert into traces.feedback (workspace_id, feedback_id, run_id, key, score, value, source_type, comment, received_at)
         values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, now())`,
        [WORKSPACE, uuidv7(), id, key, score, value === null ? null : JSON.stringify(value), source, comment],
      );
  const rows = await db.query<FoundRun>(`select ${foundColumns} from traces.runs r`);
  const { n } = await db.one<{ n: number }>('select count(*) as n from traces.search');
  if (n !== sent.length || rows.length !== n) throw new Error('Not all runs are digested.');
  const totals = await readTraceFacts(db, {
    workspace_id: WORKSPACE,
    trace_ids: rows.map((row) => row.trace_id),
  });
  seeded = await Promise.all(
    rows.map(async (row) => {
      const one = post.find(({ id }) => id === row.run_id);
      const { inputs, outputs, extra, error } = one ?? {};
      const payloads = Object.fromEntries(
        Object.entries({ inputs, outputs, extra, error }).flatMap(([kind, value]) =>
          value === undefined ? [] : [[kind, Buffer.from(JSON.stringify(value))]],
        ),
      );
      const feedback: readonly FeedbackSides[] = sent.find(({ id }) => id === row.run_id)?.feedback ?? [];
      const order = rows.filter(
        (other) => other.trace_id === row.trace_id && other.dotted_order <= row.dotted_order,
      );
      const entry = await searchEntryOf({ row, payloads }, new TimeSlice());
      const subject = runSubject({
        row,
        entry,
        totals: row.is_root ? totals.get(row.trace_id) : undefined,
        execution_order: order.length,
        feedback,
      });
      return { row, subject };
    }),
  );
}

/** A budget so small that few runs suffice to take every way. */
const hurried = { first: 3, most: { with_search_rows: 10, alone: 20 }, counted: 20, candidates: 4 };

/** Reads page after page, in the order of reading. */
async function everyPage(search: RunSearch): Promise<string[]> {
  const searching = { db: fixture().fresh.db, digest: ready, budget: hurried };
  const ids: string[] = [];
  let cursor: RunSearch['cursor'];
  do {
    const page = await searchRuns(
      searching,
      { workspace_id: WORKSPACE, search: { ...search, cursor } },
      { now_ms: 0 },
    );
    ids.push(...page.rows.map((row) => row.run_id));
    cursor = page.next;
  } while (cursor !== undefined);
  return ids;
}

const conditionFor = (filter: string) =>
  conditionOf(parseFilter(filter, { parameter: 'filter', fields: runFields }));
const searchFor = (asked: Omit<RunSearch['asked'], 'parsed_query'>): RunSearch => ({
  by: { kind: 'sessions', ids: [session_id] },
  filter: { session_ids: [session_id] },
  asked: { ...asked, parsed_query: null },
  order: 'desc',
  limit: 1000,
  cursor: undefined,
});
const idsOf = (rows: readonly FoundRun[]) => rows.map((row) => row.run_id).toSorted();
const expected = (passing: (one: SeededRun) => boolean) =>
  idsOf(seeded.filter(passing).map(({ row }) => row));
const passesIn = (condition: Condition) => (one: SeededRun) => passes(condition, one.subject);

async function agreeOnRuns(filters: number) {
  let hits = 0;
  let looked_up = 0;
  await fc.assert(
    fc.asyncProperty(anyFilter, async (filter) => {
      const condition = conditionFor(filter);
      const wanted = expected(passesIn(condition));
      const search = searchFor({ run: condition });
      const found = await searchRuns(
        { db: fixture().fresh.db, digest: ready },
        { workspace_id: WORKSPACE, search },
        { now_ms: 0 },
      );
      expect(idsOf(found.rows), filter).toEqual(wanted);
      hits += wanted.length > 0 && wanted.length < seeded.length ? 1 : 0;
      const run = lookupOf(condition);
      if (run === undefined) return;
      looked_up += 1;
      const indexed = await findIndexedRuns(
        fixture().fresh.db,
        { workspace_id: WORKSPACE, search },
        { session_ids: [session_id], lookups: { run, traces: [] } },
      );
      expect(idsOf(indexed), `by index: ${filter}`).toEqual(wanted);
    }),
    { numRuns: filters },
  );
  return { hits, looked_up };
}

async function agreeOnPages(filters: number): Promise<number> {
  let pages = 0;
  const page = fc.record({ limit: fc.integer({ min: 4, max: 30 }), order: fc.constantFrom('asc', 'desc') });
  await fc.assert(
    fc.asyncProperty(anyFilter, page, async (filter, { limit, order }) => {
      const condition = conditionFor(filter);
      pages += 1;
      const found = await everyPage({ ...searchFor({ run: condition }), limit, order });
      const passing = seeded.filter(passesIn(condition)).map(({ row }) => row);
      const in_order = passing.toSorted(
        (one, other) =>
          one.start_time.localeCompare(other.start_time) || one.run_id.localeCompare(other.run_id),
      );
      const wanted = order === 'asc' ? in_order : in_order.toReversed();
      expect(found, filter).toEqual(wanted.map((row) => row.run_id));
    }),
    { numRuns: filters },
  );
  return pages;
}

async function agreeOnTraces(filters: number): Promise<number> {
  let looked_up = 0;
  const db = fixture().fresh.db;
  await fc.assert(
    fc.asyncProperty(maybe(anyFilter), anyFilter, fc.boolean(), async (own, other, of_root) => {
      const run = own === undefined ? undefined : conditionFor(own);
      const condition = conditionFor(other);
      const matching = seeded.filter((one) => passesIn(condition)(one) && (!of_root || one.row.is_root));
      const traces = new Set(matching.map(({ row }) => row.trace_id));
      const wanted = expected(
        (one) => traces.has(one.row.trace_id) && (run === undefined || passesIn(run)(one)),
      );
      const search = searchFor({ run, ...(of_root ? { root: condition } : { tree: condition }) });
      const of = { workspace_id: WORKSPACE, search };
      expect(idsOf(await findSessionRuns(db, of, { session_ids: [session_id] })), `${own} ${other}`).toEqual(
        wanted,
      );
      const lookup = lookupOf(condition);
      if (lookup === undefined) return;
      looked_up += 1;
      const lookups = { run: run && lookupOf(run), traces: [lookup] };
      const indexed = await findIndexedRuns(db, of, { session_ids: [session_id], lookups });
      expect(idsOf(indexed), `by index: ${own} ${other}`).toEqual(wanted);
    }),
    { numRuns: filters },
  );
  return looked_up;
}

/** SQL and the evaluator in memory agree on generated runs and filters. */
export function filterAgreementSuite({ filters }: { readonly filters: number }): void {
  fixture = useFixture(startFixture);
  beforeAll(seedRuns);

  test('when runs are searched by any filter, then the database finds those that pass', async () => {
    const { hits, looked_up } = await agreeOnRuns(filters);
    // Without hits the agreement would be worthless.
    expect(hits).toBeGreaterThan(filters / 4);
    expect(looked_up).toBeGreaterThan(filters / 10);
  });

  test('when runs are read page after page, then either order and way finds the same', async () => {
    expect(await agreeOnPages(filters / 10)).toBe(filters / 10);
  });

  test('when filters are over the root or the tree, then the database finds the runs that pass', async () => {
    expect(await agreeOnTraces(filters / 5)).toBeGreaterThan(0);
  });
}
