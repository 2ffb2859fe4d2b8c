import { uuidv7 } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

/** Many runs that wait for one parent. */

let statements: string[] = [];
const fixture = useFixture(() => {
  const noting = <T extends Queryable>(db: T): T => ({
    ...db,
    run: async (text, values) => (statements.push(text), db.run(text, values)),
    query: async (text, values) => (statements.push(text), db.query(text, values)),
    maybe: async (text, values) => (statements.push(text), db.maybe(text, values)),
    one: async (text, values) => (statements.push(text), db.one(text, values)),
  });
  return startFixture({
    between: (db) => ({ ...db, transaction: async (work) => db.transaction(async (tx) => work(noting(tx))) }),
  });
});

const START = '2026-01-05T10:20:30Z';
const USED = { input_tokens: 2, output_tokens: 1, input_token_details: { cache_read: 1 }, total_cost: 0.5 };

/** Parts of the statements that settle strays. */
const settling = ['traces.strays', 'traces.payloads p set', 'with gone as', 'with given as'];
const written = () => statements.filter((text) => settling.some((part) => text.includes(part)));

async function send(post: readonly object[]): Promise<void> {
  const init = { method: 'POST', body: JSON.stringify({ post }) };
  expect((await fixture().send('/runs/batch', init)).status).toBe(202);
}

/** Children of one parent, each with a child of its own; the parent, which is the root, comes last. */
async function settled(count: number) {
  const root = uuidv7();
  const ids = Array.from({ length: count }, () => ({ child: uuidv7(), leaf: uuidv7() }));
  await send(
    ids.flatMap(({ child, leaf }) => [
      { id: child, parent_run_id: root, name: 'child', run_type: 'chain', start_time: START },
      {
        id: leaf,
        parent_run_id: child,
        name: 'leaf',
        run_type: 'llm',
        start_time: START,
        outputs: { usage_metadata: USED },
      },
    ]),
  );
  statements = [];
  const extra = { metadata: { thread_id: 'together' } };
  await send([
    { id: root, name: 'root', run_type: 'chain', start_time: START, session_name: `of ${count}`, extra },
  ]);
  return { root, ids, written: written().length };
}

it('when 1,500 children are settled, then it takes as many statements as two do', async () => {
  const two = await settled(2);
  const { root, ids, written: count } = await settled(1500);
  expect(count).toBe(two.written);
  const { db } = fixture().fresh;
  expect(await db.query('select from traces.strays')).toEqual([]);
  expect(
    await db.one(
      `select run_count, total_tokens, total_cost::float8 as total_cost, prompt_token_details, thread_id
       from traces.traces where trace_id = $1`,
      [root],
    ),
  ).toEqual({
    run_count: 3001,
    total_tokens: 4500,
    total_cost: 750,
    prompt_token_details: { cache_read: 1500 },
    thread_id: 'together',
  });
  expect(
    await db.one(
      `select count(*) as traces, sum(run_count)::int as runs, (select sum(traces)::int from traces.usage) as usage
       from traces.traces where workspace_id = $1`,
      [WORKSPACE],
    ),
  ).toEqual({ traces: 2, runs: 3006, usage: 2 });
  const [{ child, leaf } = { child: '', leaf: '' }] = ids;
  const read = async (id: string) => (await fixture().send(`/runs/${id}`)).json();
  expect(await read(leaf)).toMatchObject({
    trace_id: root,
    parent_run_ids: [root, child],
    thread_id: 'together',
    outputs: { usage_metadata: USED },
  });
  const body = { trace: root, filter: 'eq(name, "leaf")', limit: 100 };
  expect((await fixture().client().queryRuns({ body })).runs).toHaveLength(100);
  const wrong = await db.query(
    `select from traces.runs where trace_id = $1 and not starts_with(dotted_order, $2) or trace_id <> $1
       and run_id = any ($3)`,
    [root, `20260105T102030000000Z${root}`, ids.flatMap((one) => [one.child, one.leaf])],
  );
  expect(wrong).toEqual([]);
});

it('when a trace has no room for a run, then the run is left alone until there is some', async () => {
  const { db } = fixture().fresh;
  const [root, child, leaf] = [uuidv7(), uuidv7(), uuidv7()];
  const run = { run_type: 'chain', start_time: START, session_name: 'full' };
  await send([{ ...run, id: root, trace_id: root, dotted_order: root, name: 'root' }]);
  await db.run('update traces.traces set run_count = 24998 where trace_id = $1', [root]);
  const parent = uuidv7();
  await send([
    { ...run, id: child, parent_run_id: parent, name: 'child' },
    { ...run, id: leaf, parent_run_id: child, name: 'leaf' },
  ]);
  const place = { trace_id: root, dotted_order: `${root}.${parent}` };
  await send([{ ...run, ...place, id: parent, parent_run_id: root, name: 'parent' }]);
  const traceOf = async (id: string) =>
    (await db.one<{ trace_id: string }>('select trace_id from traces.runs where run_id = $1', [id])).trace_id;
  expect([await traceOf(parent), await traceOf(child), await traceOf(leaf)]).toEqual([root, child, child]);
  expect(await db.query('select run_id from traces.strays where run_id = $1', [child])).toHaveLength(1);
  await db.run('update traces.traces set run_count = 24998 where trace_id = $1', [root]);
  await send([{ ...run, ...place, id: parent, parent_run_id: root, name: 'parent again' }]);
  expect([await traceOf(child), await traceOf(leaf)]).toEqual([root, root]);
  expect(await db.one('select run_count from traces.traces where trace_id = $1', [root])).toEqual({
    run_count: 25_000,
  });
});
