import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AssignedRevision, Assignment } from '@roadstead/contracts';
import { type LocalState, planStep, untouched } from './assignment-plan.ts';

function revision(id: string): AssignedRevision {
  return {
    id,
    number: 1,
    source_url: null,
    source_digest: null,
    artifact_url: null,
    artifact_digest: null,
    artifact_put_url: null,
    config: { langgraph_config_path: 'langgraph.json', install_command: null, build_command: null },
    environment_version: 1,
  };
}

function assignment(change: Partial<Assignment> = {}): Assignment {
  return {
    deployment_id: 'd',
    workspace_id: 'w',
    name: 'n',
    slug: 's',
    generation: 1,
    fence: 1,
    revision: null,
    active: null,
    removed: false,
    purge: false,
    ...change,
  };
}

test('after a restart what served comes back before anything new is tried', () => {
  const wanted = assignment({ active: revision('one'), revision: revision('two') });
  expect(planStep(wanted, untouched).kind).toBe('restore');
  expect(planStep(wanted, { ...untouched, open: true, serving: 'one' }).kind).toBe('reach');
});

test('what failed is reported and not tried again, until it is wanted anew', () => {
  const failed = { ...untouched, failed: { revision_id: 'one', generation: 1 } };
  const wanted = assignment({ revision: revision('one') });
  expect(planStep(wanted, failed)).toEqual({ kind: 'report', what: 'failed' });
  expect(planStep(wanted, { ...failed, reported_generation: 1 }).kind).toBe('settled');
  const anew = assignment({ revision: revision('one'), generation: 2 });
  expect(planStep(anew, { ...failed, reported_generation: 1 }).kind).toBe('reach');
});

test('a revision that is lost holds up no newer one', () => {
  const wanted = assignment({ active: revision('one'), revision: revision('two') });
  expect(planStep(wanted, { ...untouched, lost: 'one' }).kind).toBe('reach');
  expect(planStep(assignment({ active: revision('one') }), { ...untouched, lost: 'one' }).kind).toBe(
    'settled',
  );
});

test('a removed deployment is closed, then purged when so wished, then reported', () => {
  const removed = assignment({ removed: true, purge: true });
  expect(planStep(removed, { ...untouched, open: true }).kind).toBe('close');
  expect(planStep(removed, untouched).kind).toBe('purge');
  expect(planStep(removed, { ...untouched, purged: true }).kind).toBe('report');
  expect(planStep(assignment({ removed: true }), untouched).kind).toBe('report');
});

const ids = fc.constantFrom('one', 'two', 'three');
const maybeRevision = fc.option(ids.map(revision), { nil: null });
const assignments = fc
  .record({
    generation: fc.integer({ min: 1, max: 4 }),
    revision: maybeRevision,
    active: maybeRevision,
    removed: fc.boolean(),
    purge: fc.boolean(),
  })
  .map(assignment);
const locals: fc.Arbitrary<LocalState> = fc.record({
  serving: fc.option(ids, { nil: undefined }),
  reported_generation: fc.integer({ min: 0, max: 4 }),
  failed: fc.option(fc.record({ revision_id: ids, generation: fc.integer({ min: 1, max: 4 }) }), {
    nil: undefined,
  }),
  lost: fc.option(ids, { nil: undefined }),
  open: fc.boolean(),
  purged: fc.boolean(),
});

/** What doing a step makes of the state; `goesWell` says how reaching ends. */
function done(wanted: Assignment, local: LocalState, goesWell: boolean): LocalState {
  const step = planStep(wanted, local);
  switch (step.kind) {
    case 'settled':
      return local;
    case 'restore':
      return goesWell
        ? { ...local, open: true, serving: wanted.active?.id }
        : { ...local, lost: wanted.active?.id };
    case 'reach': {
      const revision_id = wanted.revision?.id ?? '';
      return goesWell
        ? { ...local, open: true, serving: revision_id }
        : { ...local, open: true, failed: { revision_id, generation: wanted.generation } };
    }
    case 'close':
      return { ...local, open: false, serving: undefined };
    case 'purge':
      return { ...local, purged: true };
    case 'report':
      return { ...local, reported_generation: wanted.generation };
    default:
      return step satisfies never;
  }
}

test('doing what is planned comes to an end, and then nothing is planned', () => {
  fc.assert(
    fc.property(assignments, locals, fc.boolean(), (wanted, local, goesWell) => {
      let state = local;
      for (let steps = 0; planStep(wanted, state).kind !== 'settled'; steps += 1) {
        expect(steps).toBeLessThan(6);
        state = done(wanted, state, goesWell);
      }
      expect(planStep(wanted, state).kind).toBe('settled');
      expect(wanted.removed && state.open).toBe(false);
    }),
  );
});

test('a failure never takes away what serves', () => {
  fc.assert(
    fc.property(assignments, locals, (wanted, local) => {
      fc.pre(!wanted.removed && local.serving !== undefined);
      let state = local;
      for (let steps = 0; steps < 6; steps += 1) state = done(wanted, state, false);
      expect(state.serving).toBe(local.serving);
    }),
  );
});
