import { expect, it } from 'vitest';
import { gapsAbove, isBelow, type NestableRun } from './nested-calls-rules.ts';

const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`;
const runIn = (workspace_id: string): NestableRun => ({
  workspace_id,
  trace_id: id(1),
  run_id: id(2),
  tier: 'short',
  week: '2026-01-05',
  dotted_order: `20260105T090000000000Z${id(1)}.20260105T090001000000Z${id(2)}`,
  within_call: false,
  counts: true,
  was_outer: false,
  is_alone: false,
});

it('when two workspaces have runs of one id, then what is in one says nothing of the other', () => {
  const runs = [runIn(id(8)), runIn(id(9))];
  const gap = (workspace_id: string) => ({ workspace_id, trace_id: id(1), missing_id: id(1) });
  expect(gapsAbove(runs, () => false)).toEqual([gap(id(8)), gap(id(9))]);
  expect(gapsAbove(runs, ({ workspace_id }) => workspace_id === id(8))).toEqual([gap(id(9))]);
  const calls = new Set([`${id(8)}/${id(1)}`]);
  expect(runs.map((run) => isBelow(run, calls))).toEqual([true, false]);
});
