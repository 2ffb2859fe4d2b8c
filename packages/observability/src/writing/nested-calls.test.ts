import { uuidv7 } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { driftOf } from '../testing/drift.ts';
import { startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { lockTraces } from '../records/trace-store.ts';
import { removeRuns } from '../records/run-removal-store.ts';

/** Below a call that reports its usage nothing counts again, in any order of arrival. */

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}
/** The statements that read runs below and above the written ones. */
let asked: Statement[] = [];
const noting = <T extends Queryable>(db: T): T => ({
  ...db,
  query: async (text, values = []) => {
    if (/from traces\.runs r|join traces\.runs r/.test(text)) asked.push({ text, values });
    return db.query(text, values);
  },
  run: async (text, values = []) => {
    if (text.includes('update traces.traces t set run_count')) asked.push({ text, values });
    return db.run(text, values);
  },
});
const fixture = useFixture(() =>
  startFixture({
    between: (db) => ({ ...db, transaction: async (work) => db.transaction(async (tx) => work(noting(tx))) }),
  }),
);

const kinds = ['root', 'outer', 'between', 'inner', 'tool'] as const;
type Kind = (typeof kinds)[number];
type PlaceDetail = 'all' | 'parents';
type Ids = Readonly<Record<Kind, string>>;
interface RunOperation {
  readonly verb: 'post' | 'patch';
  readonly run: Readonly<Record<string, unknown>>;
}

const newIds = (): Ids => Object.fromEntries(kinds.map((kind) => [kind, uuidv7()])) as Ids;
const above: Readonly<Record<Kind, readonly Kind[]>> = {
  root: [],
  outer: ['root'],
  between: ['root', 'outer'],
  inner: ['root', 'outer', 'between'],
  tool: ['root', 'outer'],
};
const stampOf = (kind: Kind) => `20260105T09000${kinds.indexOf(kind)}000000Z`;
const startOf = (kind: Kind) => `2026-01-05T09:00:0${kinds.indexOf(kind)}.000000Z`;
const usage = (input_tokens: number, output_tokens: number) => ({
  usage_metadata: { input_tokens, output_tokens, output_cost: 0.5 },
});
const said: Readonly<Record<Kind, object>> = {
  root: { run_type: 'chain', outputs: {} },
  outer: { run_type: 'llm', outputs: usage(10, 5) },
  between: { run_type: 'chain', outputs: {} },
  inner: { run_type: 'llm', outputs: usage(9, 4) },
  tool: { run_type: 'tool', outputs: { usage_metadata: { total_cost: 0.25 } } },
};

function runOf(ids: Ids, kind: Kind, told: PlaceDetail): Readonly<Record<string, unknown>> {
  const line = [...above[kind], kind];
  const parent = above[kind].at(-1);
  return {
    id: ids[kind],
    name: kind,
    session_name: 'nested calls',
    start_time: startOf(kind),
    end_time: '2026-01-05T09:00:09Z',
    ...(parent === undefined ? {} : { parent_run_id: ids[parent] }),
    ...(told === 'all'
      ? { trace_id: ids.root, dotted_order: line.map((one) => stampOf(one) + ids[one]).join('.') }
      : {}),
    ...said[kind],
  };
}

async function send(...sent: readonly RunOperation[]): Promise<void> {
  const some = (verb: RunOperation['verb']) => sent.filter((one) => one.verb === verb).map(({ run }) => run);
  const body = JSON.stringify({ post: some('post'), patch: some('patch') });
  const answer = await fixture().send('/runs/batch', { method: 'POST', body });
  expect(answer.status).toBe(202);
}

type Answer = Readonly<Record<string, unknown>>;
const read = async (id: string) => (await (await fixture().send(`/runs/${id}`)).json()) as Answer;
const once = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, total_cost: 0.5 };

function permutations<T>(items: readonly T[]): T[][] {
  return items.length < 2
    ? [[...items]]
    : items.flatMap((item) =>
        permutations(items.filter((one) => one !== item)).map((rest) => [item, ...rest]),
      );
}

it.each(['all', 'parents'] as const)(
  'when runs come in any order (told: %s), then a call within a call counts once',
  async (told) => {
    for (const order of permutations(kinds.filter((kind) => kind !== 'tool'))) {
      const ids = newIds();
      for (const kind of ['tool', ...order] as const)
        await send({ verb: 'post', run: runOf(ids, kind, told) });
      expect({ order, ...(await read(ids.root)) }).toMatchObject({ order, ...once });
      expect(await read(ids.inner)).toMatchObject({ prompt_tokens: 9, completion_tokens: 4 });
    }
    expect(await driftOf(fixture().fresh.db)).toEqual([]);
  },
  120_000,
);

it('when a run between two calls never comes, then the inner call counts once', async () => {
  for (const order of permutations(['root', 'outer', 'inner'] as const)) {
    const ids = newIds();
    const deeper = { ...runOf(ids, 'inner', 'all'), id: uuidv7(), parent_run_id: ids.inner };
    const dotted_order = `${String(runOf(ids, 'inner', 'all')['dotted_order'])}.${stampOf('tool')}${deeper.id}`;
    await send({ verb: 'post', run: { ...deeper, dotted_order } });
    for (const kind of order) await send({ verb: 'post', run: runOf(ids, kind, 'all') });
    expect({ order, ...(await read(ids.root)) }).toMatchObject({ order, ...once });
  }
  expect(await driftOf(fixture().fresh.db)).toEqual([]);
});

it('when runs that were missing come, then they are no longer noted as gaps', async () => {
  const ids = newIds();
  const gaps = async () =>
    (
      await fixture().fresh.db.one<{ gaps: string[] | null }>(
        'select gaps from traces.traces where trace_id = $1',
        [ids.root],
      )
    ).gaps?.toSorted();
  for (const kind of ['root', 'inner'] as const) await send({ verb: 'post', run: runOf(ids, kind, 'all') });
  expect(await gaps()).toEqual([ids.outer, ids.between].toSorted());
  await send({ verb: 'post', run: runOf(ids, 'between', 'all') });
  const missing = uuidv7();
  const dotted_order = `${stampOf('root')}${ids.root}.${stampOf('outer')}${missing}.${stampOf('tool')}${ids.tool}`;
  const tool = { ...runOf(ids, 'tool', 'all'), parent_run_id: missing, dotted_order };
  await send({ verb: 'post', run: tool });
  expect(await gaps()).toEqual([ids.outer, missing].toSorted());
});

it('when all runs come at once, then a call within a call counts once', async () => {
  const ids = newIds();
  await send(...kinds.map((kind) => ({ verb: 'post' as const, run: runOf(ids, kind, 'all') })));
  expect(await read(ids.root)).toMatchObject(once);
});

it('when a call says later what it used, then that counts from then on', async () => {
  const ids = newIds();
  const { outputs, ...begun } = runOf(ids, 'outer', 'all');
  await send(
    { verb: 'post', run: begun },
    ...(['root', 'inner', 'tool'] as const).map((kind) => ({
      verb: 'post' as const,
      run: runOf(ids, kind, 'all'),
    })),
  );
  expect(await read(ids.root)).toMatchObject({ total_tokens: 13, total_cost: 0.75 });
  await send({ verb: 'patch', run: { ...begun, outputs } });
  expect(await read(ids.root)).toMatchObject(once);
  await send({ verb: 'patch', run: { ...begun, run_type: 'chain' } });
  expect(await read(ids.root)).toMatchObject({ total_tokens: 13 });
  expect(await driftOf(fixture().fresh.db)).toEqual([]);
});

it('when a call is removed, then what stood below it counts', async () => {
  const ids = newIds();
  await send(...kinds.map((kind) => ({ verb: 'post' as const, run: runOf(ids, kind, 'all') })));
  await fixture().fresh.db.transaction(async (tx) => {
    const { places } = await lockTraces(tx, [{ workspace_id: WORKSPACE, trace_id: ids.root }]);
    const [place] = places.values();
    if (place === undefined) throw new Error('The trace is not there.');
    await removeRuns(tx, [{ ...place, run_id: ids.outer }]);
  });
  expect(await read(ids.root)).toMatchObject({ total_tokens: 13, total_cost: 0.75 });
  expect(await driftOf(fixture().fresh.db)).toEqual([]);
});

it('when statistics are over all runs, then a call within a call counts once', async () => {
  const ids = newIds();
  const session = crypto.randomUUID();
  const runs = kinds.map((kind) => ({ ...runOf(ids, kind, 'all'), session_name: session }));
  await send(...runs.map((run) => ({ verb: 'post' as const, run })));
  const { session_id } = await read(ids.root);
  const answer = await fixture().send('/runs/stats', {
    method: 'POST',
    body: JSON.stringify({ session: [session_id] }),
  });
  expect(await answer.json()).toMatchObject({ run_count: 5, total_tokens: 15, total_cost: 0.5 });
});

it('when a model embeds, then its tokens are counted', async () => {
  const id = uuidv7();
  await send({
    verb: 'post',
    run: {
      id,
      name: 'embed',
      run_type: 'embedding',
      start_time: startOf('root'),
      extra: { metadata: { usage_metadata: { input_tokens: 7 } } },
    },
  });
  expect(await read(id)).toMatchObject({ prompt_tokens: 7, total_tokens: 7 });
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}
/** Rows of runs that a plan looks at. */
const rowsIn = (plan: Plan): number =>
  (plan['Relation Name']?.startsWith('runs') === true
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    : 0) + (plan.Plans ?? []).reduce((sum, one) => sum + rowsIn(one), 0);

it('when a call ends a long trace, then it looks at no more runs than the first call did', async () => {
  const root = uuidv7();
  const start_time = startOf('root');
  const session_name = 'a long trace';
  await send({ verb: 'post', run: { id: root, name: 'root', run_type: 'chain', start_time, session_name } });
  const callOf = () => ({ id: uuidv7(), parent_run_id: root, name: 'call', start_time, ...said.outer });
  await send(...Array.from({ length: 400 }, () => ({ verb: 'post' as const, run: callOf() })));
  // Statistics wait until what was sent is digested, which reads it, too.
  await fixture()
    .client()
    .listSessions({ query: { include_stats: 'true' } });
  asked = [];
  await send({ verb: 'post', run: callOf() });
  expect(asked.filter(({ text }) => text.includes('update traces.traces t'))).toEqual([]);
  const rows = await fixture().fresh.db.transaction(async (tx) => {
    await tx.run('analyze traces.runs');
    await tx.run('set local enable_seqscan = off');
    let sum = 0;
    for (const { text, values } of asked) {
      const explained = await tx.one<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(
        `explain (analyze, format json) ${text}`,
        values,
      );
      sum += rowsIn(explained['QUERY PLAN'][0]?.Plan as Plan);
    }
    return sum;
  });
  expect(asked.length).toBeGreaterThan(0);
  expect(rows).toBeLessThan(40);
  expect(await read(root)).toMatchObject({ total_tokens: 401 * 15 });
  expect(await driftOf(fixture().fresh.db)).toEqual([]);
});
