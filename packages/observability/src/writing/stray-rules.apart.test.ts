import { TimeSlice, uuidv7, inTimeSlices } from '@roadstead/kit';
import { longestHold } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { keyOf } from '../records/run-merge-rules.ts';
import type { KnownRun } from '../records/placement-rules.ts';
import { type StrayFacts, type Target, targetsOf } from './stray-rules.ts';

it('when thousands of runs stand below deep lines, then finding their places holds nobody up', async () => {
  const workspace_id = uuidv7();
  const known = new Map<string, KnownRun>();
  const settlings: StrayFacts[] = [];
  const above = Array.from({ length: 499 }, () => `20260105T102030000000Z${uuidv7()}`).join('.');
  for (let index = 0; index < 4000; index += 1) {
    const [parent, run_id, trace_id] = [uuidv7(), uuidv7(), uuidv7()];
    const dotted_order = `${above}.20260105T102030000000Z${parent}`;
    known.set(keyOf({ workspace_id, run_id: parent }), {
      workspace_id,
      run_id: parent,
      trace_id,
      dotted_order,
    });
    settlings.push({
      stray: { workspace_id, run_id, parent_run_id: parent, trace_id: run_id, tier: 'shortlived', week: '' },
      dotted_order: run_id,
      said: { trace_id: undefined, dotted_order: undefined },
      start_time: '2026-01-05T10:20:30Z',
      began: true,
      posted: false,
    });
  }
  let targets = new Map<string, Target>();
  const held_ms = await longestHold(async () => {
    targets = await inTimeSlices(targetsOf(settlings, known), new TimeSlice());
  });
  expect(targets.size).toBe(4000);
  // The bound is 50 ms; the rest is for slow machines.
  expect(held_ms).toBeLessThan(100);
});
