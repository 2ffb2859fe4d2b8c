import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AssignedRevision, Assignment } from '@roadstead/contracts/control-plane';
import { type LocalState, planAction, untouched } from './assignment-plan.ts';

function revision(id: string): AssignedRevision {
  return {
    id,
    number: 1,
    source: null,
    artifact: null,
    resources: null,
    secret_references: [],
    config: { langgraph_config_path: 'langgraph.json', install_command: null, build_command: null },
    environment_version: 1,
  };
}

function assignment(change: Partial<Assignment> = {}): Assignment {
  return {
    deployment_id: 'd',
    namespace: null,
    custom_url: null,
    sealing_keys: ['key'],
    watch: null,
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

test('when a listener is restarted, then what served comes back before anything new is tried', () => {
  const wanted = assignment({ active: revision('one'), revision: revision('two') });
  expect(planAction(wanted, untouched).kind).toBe('restore');
  expect(planAction(wanted, { ...untouched, open: true, serving: 'one' }).kind).toBe('roll out');
});

test('when what served can’t come back, then the newer one tries once, then the old one again', () => {
  const wanted = assignment({ active: revision('one'), revision: revision('two') });
  const lost = { ...untouched, unrestorable: 'one' };
  expect(planAction(wanted, lost)).toMatchObject({ kind: 'roll out', revision: { id: 'two' } });
  const failed = { revision_id: 'two', generation: 1 };
  expect(planAction(wanted, { ...lost, failed, reported_generation: 1 }).kind).toBe('restore');
  expect(planAction(assignment({ active: revision('one') }), lost).kind).toBe('restore');
});

test('when what took over was superseded unheard, then it gives way to the active one', () => {
  const local = { ...untouched, open: true, serving: 'two' };
  for (const next of [revision('three'), null]) {
    const wanted = assignment({ active: revision('one'), revision: next, generation: 2 });
    expect(planAction(wanted, local)).toMatchObject({ kind: 'restore', revision: { id: 'one' } });
  }
});

test('when the first revision ever takes over and is interrupted unheard, then it is closed', () => {
  const local = { ...untouched, open: true, serving: 'one' };
  expect(planAction(assignment({ generation: 2 }), local).kind).toBe('close');
  expect(planAction(assignment({ generation: 2 }), untouched).kind).toBe('settled');
  // Its processes did not end in time.
  expect(planAction(assignment({ generation: 2 }), { ...untouched, open: true }).kind).toBe('close');
});

test('when a generation was sent, then its own number counts: a restored database begins lower', () => {
  const local = { ...untouched, open: true, serving: 'one', reported_generation: 9 };
  const wanted = assignment({ active: revision('one') });
  expect(planAction(wanted, local)).toEqual({ kind: 'report', what: 'serving' });
});

test('when a failure was reported, then it is not tried again until it is desired again', () => {
  const failed = { revision_id: 'one', generation: 1 };
  const wanted = assignment({ revision: revision('one') });
  expect(planAction(wanted, { ...untouched, failed })).toEqual({ kind: 'report', what: 'failed' });
  expect(planAction(wanted, { ...untouched, failed, reported_generation: 1 }).kind).toBe('settled');
  const anew = assignment({ revision: revision('one'), generation: 2 });
  expect(planAction(anew, { ...untouched, failed }).kind).toBe('roll out');
});

test('when a deployment is removed, then it is closed, purged if so wished, and reported', () => {
  const removed = assignment({ removed: true, purge: true });
  expect(planAction(removed, { ...untouched, open: true }).kind).toBe('close');
  expect(planAction(removed, untouched).kind).toBe('purge');
  expect(planAction(removed, { ...untouched, purged: true }).kind).toBe('report');
  expect(planAction(assignment({ removed: true }), untouched).kind).toBe('report');
});

test('when a deployment goes to another instance, then it is closed, and reported; where it comes from one, it is prepared', () => {
  const going = assignment({ hold: 'release', active: revision('one'), generation: 3 });
  expect(planAction(going, { ...untouched, open: true, serving: 'one' }).kind).toBe('close');
  expect(planAction(going, untouched).kind).toBe('hand over');
  expect(planAction(going, { ...untouched, handed_generation: 3 }).kind).toBe('settled');
  const coming = assignment({ hold: 'prepare', active: revision('one'), generation: 3 });
  expect(planAction(coming, untouched)).toMatchObject({ kind: 'prepare', revision: { id: 'one' } });
  expect(planAction(coming, { ...untouched, handed_generation: 3 }).kind).toBe('settled');
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
    hold: fc.constantFrom('run' as const, 'prepare' as const, 'release' as const),
  })
  .map(assignment);
const locals: fc.Arbitrary<LocalState> = fc.record({
  serving: fc.option(ids, { nil: undefined }),
  reported_generation: fc.integer({ min: 0, max: 4 }),
  failed: fc.option(fc.record({ revision_id: ids, generation: fc.integer({ min: 1, max: 4 }) }), {
    nil: undefined,
  }),
  unrestorable: fc.option(ids, { nil: undefined }),
  open: fc.boolean(),
  purged: fc.boolean(),
  is_stale: fc.boolean(),
  handed_generation: fc.integer({ min: 0, max: 4 }),
});

/** The state after a step; `goesWell` decides how a rollout ends. */
function done(wanted: Assignment, local: LocalState, goesWell: boolean): LocalState {
  const step = planAction(wanted, local);
  switch (step.kind) {
    case 'settled':
      return local;
    case 'restore':
      return { ...local, open: true, serving: step.revision.id, unrestorable: undefined };
    case 'roll out': {
      const revision_id = step.revision.id;
      return goesWell
        ? { ...local, open: true, serving: revision_id, unrestorable: undefined }
        : {
            ...local,
            open: true,
            unrestorable: undefined,
            failed: { revision_id, generation: wanted.generation },
          };
    }
    case 'close':
      return { ...local, open: false, is_stale: false, serving: undefined };
    case 'purge':
      return { ...local, purged: true };
    case 'prepare':
    case 'hand over':
      return { ...local, handed_generation: wanted.generation };
    case 'report':
      return { ...local, reported_generation: wanted.generation };
    default:
      return step satisfies never;
  }
}

test('when what is planned is done, then that comes to an end, and then nothing is planned', () => {
  fc.assert(
    fc.property(assignments, locals, fc.boolean(), (wanted, local, goesWell) => {
      let state = local;
      for (let steps = 0; planAction(wanted, state).kind !== 'settled'; steps += 1) {
        expect(steps).toBeLessThan(6);
        state = done(wanted, state, goesWell);
      }
      expect(planAction(wanted, state).kind).toBe('settled');
      expect((wanted.removed || wanted.hold !== 'run') && state.open).toBe(false);
    }),
  );
});

test('when anything fails, then that never takes away what serves', () => {
  fc.assert(
    fc.property(assignments, locals, (wanted, local) => {
      fc.pre(
        !wanted.removed &&
          !local.is_stale &&
          wanted.hold === 'run' &&
          local.serving !== undefined &&
          local.serving === wanted.active?.id,
      );
      let state = local;
      for (let steps = 0; steps < 6; steps += 1) state = done(wanted, state, false);
      expect(state.serving).toBe(local.serving);
    }),
  );
});
