import { expect, it } from 'vitest';
import type { RunOperation } from '../records/run-operation.ts';
import { planFlush } from './flush-rules.ts';
import { placementsOf } from '../records/placement-rules.ts';
import { draftsOf } from '../records/run-merge-rules.ts';
import { type TracePlace, traceKeyOf } from '../records/run-row.ts';

const WORKSPACE = '11111111-1111-4111-8111-111111111111';
const idOf = (index: number) => `018f0000-0000-7000-8000-${String(index).padStart(12, '0')}`;
const NOW = '2026-01-05T00:00:00.000000+00:00';

function operation(index: number, trace: number): RunOperation {
  const trace_id = idOf(trace);
  const parent = index === trace ? {} : { parent_run_id: trace_id };
  const fields = { trace_id, dotted_order: `${idOf(trace)}.${idOf(index)}`, name: `${index}`, ...parent };
  return { verb: 'post', run_id: idOf(index), has_main: true, fields, payloads: {} };
}

function placeOf(trace: number, run_count: number): TracePlace {
  const where = { workspace_id: WORKSPACE, trace_id: idOf(trace), tier: 'shortlived', week: '2026-01-05' };
  return { ...where, session_id: null, thread_id: null, run_count, is_new: run_count === 0 };
}

function planned(
  requests: readonly (readonly RunOperation[])[],
  places: readonly TracePlace[],
  max_runs?: number,
) {
  const drafts = draftsOf(requests.map((runs) => ({ workspace_id: WORKSPACE, runs })));
  const placements = placementsOf({ drafts, known: new Map(), strays: new Map() });
  return planFlush({
    drafts,
    placements,
    places: new Map(places.map((place) => [traceKeyOf(place), place])),
    stored: new Map(),
    known: new Map(),
    defaultSession: () => idOf(999),
    priceOf: () => undefined,
    now: NOW,
    ...(max_runs === undefined ? {} : { max_runs }),
  });
}

it('when runs are beyond the limit of a trace, then they are refused, and no others', () => {
  const requests = [[operation(1, 1), operation(2, 1), operation(5, 5)], [operation(3, 1)]];
  const plan = planned(requests, [placeOf(1, 0), placeOf(5, 0)], 2);
  expect(plan.rows.map((row) => row.name)).toEqual(['1', '2', '5']);
  expect([...plan.refused]).toEqual([[1, [{ run_id: idOf(3), trace_id: idOf(1) }]]]);
  expect(plan.changes.map((change) => change.new_runs)).toEqual([2, 1]);
});

it('when a trace has stored runs already, then they count', () => {
  const plan = planned([[operation(2, 1)]], [placeOf(1, 25_000)]);
  expect(plan.rows).toEqual([]);
  expect(plan.refused.size).toBe(1);
});

it('when runs name each other as parents, then planning still ends', () => {
  const loop = (index: number, parent: number): RunOperation => ({
    ...operation(index, 1),
    fields: { trace_id: idOf(1), parent_run_id: idOf(parent), start_time: NOW },
  });
  const plan = planned([[loop(2, 3), loop(3, 2)]], [placeOf(1, 0)]);
  expect(plan.rows).toHaveLength(2);
});

it('when costs are many and very different, then they are added exactly', () => {
  const spent = (index: number, total_cost: string): RunOperation => {
    const { fields, ...run } = operation(index, 1);
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, total_cost };
    return { ...run, fields: { ...fields, run_type: 'llm', usage } };
  };
  const costs = ['10000000', ...Array.from({ length: 30 }, () => '0.0000000001')];
  const plan = planned([costs.map((cost, index) => spent(index + 1, cost))], [placeOf(1, 0)]);
  expect(plan.changes.map((change) => change.total_cost)).toEqual([
    expect.stringMatching(/^10000000\.0000000030*$/),
  ]);
});
