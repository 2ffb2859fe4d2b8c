import { TimeSlice, uuidv7 } from '@roadstead/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findIndexedRuns } from '../runs/run-lookup-store.ts';
import type { RunSearch } from '../runs/run-query-rules.ts';
import { findSessionRuns, type FoundRun } from '../runs/run-query-store.ts';
import { searchRuns } from '../runs/run-search-work.ts';
import { foundColumns } from '../runs/run-sql-store.ts';
import { readTraceFacts } from '../runs/trace-store.ts';
import { searchEntryOf } from '../search/search-entry.ts';
import { type Fixture, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { type Condition, conditionOf } from './filter-conditions.ts';
import { passes, type Subject } from './filter-evaluator.ts';
import { lookupOf } from './filter-lookup-rules.ts';
import { parseFilter } from './filter-parser.ts';
import { runFields } from './run-fields.ts';
import { type FeedbackSides, runSubject } from './run-subject.ts';

/** SQL and the evaluator in memory agree on generated runs and filters. */

interface Seeded {
  readonly row: FoundRun;
  readonly subject: Subject;
}

let fixture: Fixture;
let session_id = '';
let seeded: readonly Seeded[] = [];
const ready = { caughtUp: async () => undefined };

const words = ['refund', 'please', 'invoice 42', 'I am sorry', 'a_b%c', 'Zürich', '東京', 'in voice', ''];
const keys = ['tenant', 'region', 'a.b', 'n'];
const numbers = [0, 1, 42, 2.5];
const scalar = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom(...numbers),
  fc.boolean(),
  fc.constant(null),
);
const member = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('b', 'c'), scalar, { maxKeys: 2 }),
);
const object = fc.dictionary(fc.constantFrom('tenant', 'region', 'a', 'n'), member, { maxKeys: 4 });
const tag = fc.constantFrom('blue', 'green', '2aa1cf4', 'a%b');
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });

const sentRun = fc.record({
  name: fc.constantFrom('router', 'Chat Model', 'a_b', ''),
  run_type: fc.constantFrom('llm', 'chain', 'tool'),
  at_ms: fc.nat(100_000),
  latency_ms: maybe(fc.constantFrom(0, 1, 250, 3000, 3001, 90_000)),
  error: maybe(fc.constantFrom('ValueError: refund', 'timeout')),
  tags: maybe(fc.array(tag, { maxLength: 3 })),
  metadata: maybe(object),
  inputs: maybe(object),
  outputs: maybe(object),
  thread_id: maybe(fc.constantFrom('t-1', 'a"b')),
  tokens: fc.constantFrom(0, 5, 10),
  feedback: fc.array(
    fc.record({
      key: fc.constantFrom('stars', 'correct'),
      score: fc.constantFrom(null, 0, 0.5, 4),
      value: fc.constantFrom(null, 'good', 'bad'),
      source: fc.constantFrom('app', 'model'),
      comment: fc.constantFrom(null, 'so so'),
    }),
    { maxLength: 2 },
  ),
});

beforeAll(async () => {
  fixture = await startFixture();
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
      metadata: { ...run.metadata, ...(run.thread_id === undefined ? {} : { thread_id: run.thread_id }) },
    },
  }));
  const posted = await fixture.send('/runs/batch', { method: 'POST', body: JSON.stringify({ post }) });
  if (posted.status !== 202) throw new Error(await posted.text());
  session_id =
    (await fixture.client().listSessions({ query: { name: 'filtered', include_stats: 'true' } }))[0]?.id ??
    '';
  const { db } = fixture.fresh;
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
});
afterAll(async () => fixture[Symbol.asyncDispose]());

const text = (value: unknown) => JSON.stringify(value);
const comparator = fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte');
const equality = fc.constantFrom('eq', 'neq');
const pattern = fc.constantFrom(
  '%refund%',
  'r%',
  '%b\\%c',
  '_outer',
  'invoice 42',
  '%am sorry%',
  '%',
  '%Model',
  'I am%',
);
const comparing = (
  field: string,
  by: fc.Arbitrary<string>,
  value: fc.Arbitrary<unknown>,
): fc.Arbitrary<string> => fc.tuple(by, value).map(([one, other]) => `${one}(${field}, ${text(other)})`);
const someOf = (field: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.array(value, { minLength: 1, maxLength: 3 }).map((list) => `in(${field}, ${text(list)})`);
const like = fc.constantFrom('like', 'notlike');
const value = fc.oneof(fc.constantFrom(...words), fc.constantFrom(...numbers, true));

const families = ['metadata', 'input', 'output'].flatMap((family) => [
  comparing(`${family}_key`, equality, fc.constantFrom(...keys)),
  someOf(`${family}_key`, fc.constantFrom(...keys)),
  comparing(`${family}_key`, like, fc.constantFrom('ten%', '%.b', 'n')),
  comparing(`${family}_value`, equality, fc.oneof(value, fc.constant(null))),
  comparing(`${family}_value`, fc.constantFrom('gt', 'lte'), value),
  comparing(`${family}_value`, like, pattern),
  someOf(`${family}_value`, value),
]);
const side = fc.oneof(
  ...families,
  comparing('feedback_key', equality, fc.constantFrom('stars', 'correct')),
  comparing('feedback_score', comparator, fc.constantFrom(0, 0.5, 3)),
  comparing('feedback_score', equality, fc.constant(null)),
  comparing('feedback_value', equality, fc.constantFrom('good', 'bad', null)),
  comparing('feedback_source', equality, fc.constantFrom('app', 'model')),
  comparing('feedback_comment', like, fc.constant('so%')),
);
const single = fc.oneof(
  comparing(
    'name',
    fc.oneof(comparator, like),
    fc.constantFrom('router', 'Chat Model', 'a_b', 'r%', '%Model', ''),
  ),
  someOf('name', fc.constantFrom('router', 'Chat Model', 'none')),
  comparing('run_type', equality, fc.constantFrom('llm', 'tool')),
  comparing('status', equality, fc.constantFrom('success', 'error', 'pending')),
  comparing('error', equality, fc.constant(null)),
  comparing('error', like, pattern),
  comparing('thread_id', equality, fc.constantFrom('t-1', 'a"b', null)),
  comparing('is_root', equality, fc.boolean()),
  comparing('latency', comparator, fc.constantFrom('3s', 0.25, '90s', '1ms', 0)),
  comparing('latency', equality, fc.constant(null)),
  comparing('start_time', comparator, fc.constantFrom('2026-01-05T00:00:50Z', '2026-01-05')),
  comparing('end_time', equality, fc.constant(null)),
  comparing('total_tokens', comparator, fc.constantFrom(0, 1, 6, 11)),
  comparing('total_cost', comparator, fc.constantFrom(0.25, 0.5)),
  comparing('execution_order', comparator, fc.constantFrom(1, 2)),
  comparing('parent_run_id', equality, fc.constant(null)),
  comparing('tags', fc.constantFrom('has', 'neq'), tag),
  comparing('tags', like, fc.constantFrom('%e', '2aa%', 'a\\%b')),
  someOf('tags', tag),
  comparing('metadata', fc.constant('exists'), fc.constantFrom(...keys, 'a', 'ls_run_depth')),
  comparing(
    'metadata',
    fc.constant('has'),
    fc.constantFrom('{"n": 42}', '{"a": {"b": "refund"}}', '{"a": {}}'),
  ),
  comparing('metadata.tenant', comparator, fc.constantFrom('refund', 42)),
  comparing('metadata.tenant', like, pattern),
  comparing('inputs', like, pattern),
  comparing('outputs', like, pattern),
  fc
    .constantFrom('refund', 'inv', '42', 'zür', '東', 'sorry am', 'b c', 'true')
    .map((words_) => `search(${text(words_)})`),
  fc
    .tuple(
      fc.constantFrom('name', 'inputs', 'outputs', 'metadata', 'tags', 'error'),
      fc.constantFrom('refund', 'ro', 'bl', 'value'),
    )
    .map(([field, one]) => `search(${field}, ${text(one)})`),
);
const { filter: anyFilter } = fc.letrec<{ filter: string }>((again) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.oneof(side, single),
    fc
      .array(fc.oneof(side, side, again('filter')), { minLength: 1, maxLength: 4 })
      .map((of) => `and(${of.join(', ')})`),
    fc.array(again('filter'), { minLength: 1, maxLength: 3 }).map((of) => `or(${of.join(', ')})`),
    again('filter').map((of) => `not(${of})`),
  ),
}));

/** So small that among few runs every way is gone. */
const hurried = { first: 3, most: { with_search_rows: 10, alone: 20 }, counted: 20, candidates: 4 };

/** Page after page, in the order of reading. */
async function everyPage(search: RunSearch): Promise<string[]> {
  const searching = { db: fixture.fresh.db, digest: ready, pace: hurried };
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
const expected = (passing: (one: Seeded) => boolean) => idsOf(seeded.filter(passing).map(({ row }) => row));
const passesIn = (condition: Condition) => (one: Seeded) => passes(condition, one.subject);

test('of every filter', async () => {
  let hits = 0;
  let looked_up = 0;
  await fc.assert(
    fc.asyncProperty(anyFilter, async (filter) => {
      const condition = conditionFor(filter);
      const wanted = expected(passesIn(condition));
      const search = searchFor({ run: condition });
      const found = await searchRuns(
        { db: fixture.fresh.db, digest: ready },
        { workspace_id: WORKSPACE, search },
        { now_ms: 0 },
      );
      expect(idsOf(found.rows), filter).toEqual(wanted);
      hits += wanted.length > 0 && wanted.length < seeded.length ? 1 : 0;
      const run = lookupOf(condition);
      if (run === undefined) return;
      looked_up += 1;
      const indexed = await findIndexedRuns(
        fixture.fresh.db,
        { workspace_id: WORKSPACE, search },
        { session_ids: [session_id], lookups: { run, traces: [] } },
      );
      expect(idsOf(indexed), `by index: ${filter}`).toEqual(wanted);
    }),
    { numRuns: 1500 },
  );
  // Otherwise there would be nothing to agree on.
  expect(hits).toBeGreaterThan(500);
  expect(looked_up).toBeGreaterThan(200);
});

test('page after page, in either order and whichever way they are found', async () => {
  const page = fc.record({ limit: fc.integer({ min: 4, max: 30 }), order: fc.constantFrom('asc', 'desc') });
  await fc.assert(
    fc.asyncProperty(anyFilter, page, async (filter, { limit, order }) => {
      const condition = conditionFor(filter);
      const found = await everyPage({ ...searchFor({ run: condition }), limit, order });
      const passing = seeded.filter(passesIn(condition)).map(({ row }) => row);
      const in_order = passing.toSorted(
        (one, other) =>
          one.start_time.localeCompare(other.start_time) || one.run_id.localeCompare(other.run_id),
      );
      const wanted = order === 'asc' ? in_order : in_order.toReversed();
      expect(found, filter).toEqual(wanted.map((row) => row.run_id));
    }),
    { numRuns: 150 },
  );
});

test('of filters over the root and over the tree', async () => {
  const db = fixture.fresh.db;
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
      const lookups = { run: run && lookupOf(run), traces: [lookup] };
      const indexed = await findIndexedRuns(db, of, { session_ids: [session_id], lookups });
      expect(idsOf(indexed), `by index: ${own} ${other}`).toEqual(wanted);
    }),
    { numRuns: 300 },
  );
});
