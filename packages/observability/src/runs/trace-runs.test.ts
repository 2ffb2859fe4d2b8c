import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { traceRunsSearchOf } from '../queries/run-query-v2-rules.ts';
import { outlinePages } from '../queries/trace-runs-work.ts';
import { startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

/** A whole trace, as its tree is drawn from it. */

const COUNT = 1203;
const OUTLINE = [
  'id',
  'end_time',
  'error_preview',
  'is_root',
  'latency_seconds',
  'name',
  'parent_run_id',
  'run_type',
  'start_time',
  'status',
];

const root = uuidv7();
const began = Date.parse('2026-01-05T00:00:00Z');
const stamp = (at: string) => at.replaceAll(/[-:.]/g, '').replace('Z', '000Z');
const runs = Array.from({ length: COUNT }, (_, index) => {
  const id = index === 0 ? root : uuidv7();
  // Three at a time begin in the same millisecond.
  const start_time = new Date(began + Math.floor(index / 3)).toISOString();
  const own = `${stamp(start_time)}${id}`;
  return {
    id,
    trace_id: root,
    ...(index > 0 && { parent_run_id: root }),
    dotted_order: index === 0 ? own : `${stamp(new Date(began).toISOString())}${root}.${own}`,
    name: index % 7 === 0 ? `"name" \\ ${index} – ä` : undefined,
    run_type: index % 2 === 0 ? 'llm' : 'tool',
    start_time,
    ...(index % 5 > 0 && { end_time: new Date(began + 5000 + index).toISOString() }),
    ...(index % 11 === 0 && { error: `broken\n${index}` }),
    inputs: { index },
    session_name: 'whole',
  };
});

const statements: string[] = [];
const fixture = useFixture(() =>
  startFixture({
    between: (db) => ({
      ...db,
      query: async (text, values) => {
        if (text.includes('from traces.runs r')) statements.push(text);
        return db.query(text, values);
      },
    }),
  }),
);
beforeAll(async () => {
  for (let from = 0; from < COUNT; from += 500)
    await fixture().send('/runs/batch', {
      method: 'POST',
      body: JSON.stringify({ post: runs.slice(from, from + 500) }),
    });
});
beforeEach(() => statements.splice(0));

interface Item {
  readonly id: string;
  readonly start_time?: string;
  readonly inputs?: unknown;
}

async function list(selects: readonly string[], more: Record<string, string> = {}): Promise<readonly Item[]> {
  const query = new URLSearchParams(more);
  for (const name of selects) query.append('selects', name.toUpperCase());
  const answer = await fixture().send(`/v2/traces/${root}/runs?${query.toString()}`);
  return ((await answer.json()) as { items: Item[] }).items;
}

it('when a trace is listed as outlines, then they say what the whole runs say, oldest first', async () => {
  const outlines = await list(OUTLINE);
  const whole = await list([...OUTLINE, 'INPUTS']);
  expect(whole.map(({ inputs: _inputs, ...outline }) => outline)).toEqual(outlines);
  expect(Object.keys(outlines[0] ?? {})).toEqual(OUTLINE);
  const byPlace = runs.toSorted((a, b) => (`${a.start_time}${a.id}` < `${b.start_time}${b.id}` ? -1 : 1));
  expect(whole.map(({ id, inputs }) => ({ id, inputs }))).toEqual(
    byPlace.map(({ id, inputs }) => ({ id, inputs })),
  );
});

it('when a trace is listed, then all of it is read once, and not once a page', async () => {
  const reads = () => statements.splice(0).filter((text) => text.includes('r.trace_id ='));
  await list(OUTLINE);
  expect(reads()).toHaveLength(1);
  await list([...OUTLINE, 'INPUTS']);
  expect(reads()).toHaveLength(1);
});

it('when a trace is listed by a filter or a time, then only what fits is there', async () => {
  const models = await list(['ID', 'RUN_TYPE'], { filter: 'eq(run_type, "llm")' });
  expect(models).toHaveLength(602);
  const late = { min_start_time: '2026-01-05T00:00:00.400Z' };
  expect(await list(['ID'], late)).toHaveLength(3);
  expect(await list(['ID', 'INPUTS'], late)).toHaveLength(3);
});

it('when outlines need several pages, then each run is on one of them', async () => {
  const searching = { db: fixture().fresh.db, digest: { caughtUp: async () => {} } };
  const of = { workspace_id: WORKSPACE, search: traceRunsSearchOf(root, {}) };
  const sizes: number[] = [];
  const ids = new Set<string>();
  for await (const page of outlinePages(searching, of, { at_once: 500 })) {
    sizes.push(page.length);
    for (const { run_id } of page) ids.add(run_id);
  }
  expect([sizes, ids.size]).toEqual([[500, 500, 203], COUNT]);
});
