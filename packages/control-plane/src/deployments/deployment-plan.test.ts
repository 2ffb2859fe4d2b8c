import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTerminal, mayFollow } from '@roadstead/contracts';
import { revisionFlow, type RevisionStatus } from '@roadstead/contracts/control-plane';
import { type DeploymentState, type PlannedRevision, planAction } from './deployment-plan.ts';

const revision = (number: number, status: RevisionStatus, has_source = true): PlannedRevision => ({
  id: `r${number}`,
  number,
  status,
  has_source,
});

const none = { generation: 0, removed: false, purge: false, is_done: false };
const state = (change: Partial<DeploymentState> = {}): DeploymentState => ({
  latest: [...(change.revisions ?? [])].sort((a, b) => b.number - a.number)[0] ?? null,
  status: 'READY',
  has_project: true,
  has_key: true,
  keys_revoked: false,
  delete_project: false,
  purge_due: false,
  revisions: [],
  assignment: none,
  ...change,
});
const removal = (change: Partial<DeploymentState['assignment']> = {}) => ({
  ...none,
  generation: 5,
  removed: true,
  ...change,
});

test.each<[string, DeploymentState, string, string | undefined]>([
  ['nothing waits', state(), 'wait', undefined],
  [
    'the project comes first',
    state({ has_project: false, has_key: false, revisions: [revision(1, 'CREATING', false)] }),
    'make_project',
    'r1',
  ],
  [
    'then the key',
    state({ has_key: false, revisions: [revision(1, 'CREATING', false)] }),
    'make_key',
    undefined,
  ],
  ['then the source is awaited', state({ revisions: [revision(1, 'CREATING', false)] }), 'wait', undefined],
  [
    'a newer one supersedes',
    state({ revisions: [revision(1, 'CREATING', false), revision(2, 'CREATING')] }),
    'skip',
    'r1',
  ],
  [
    'the oldest is skipped first',
    state({ revisions: [revision(4, 'QUEUED'), revision(2, 'QUEUED'), revision(3, 'CREATING')] }),
    'skip',
    'r2',
  ],
  [
    'out of the bin, it needs a key',
    state({ has_key: false, assignment: removal({ is_done: true }) }),
    'make_key',
    undefined,
  ],
  [
    'then what served is desired again',
    state({ assignment: removal({ is_done: true }), revisions: [revision(2, 'CREATING')] }),
    'resume',
    undefined,
  ],
  [
    'what waited is skipped although the newest has ended',
    state({ latest: revision(3, 'INTERRUPTED'), revisions: [revision(2, 'QUEUED')] }),
    'skip',
    'r2',
  ],
  ['it is put to the listener', state({ revisions: [revision(2, 'CREATING')] }), 'assign', 'r2'],
  [
    'it waits behind one that is being started',
    state({ revisions: [revision(2, 'DEPLOYING'), revision(3, 'CREATING')] }),
    'queue',
    'r3',
  ],
  [
    'it takes the place of one that is being built',
    state({ revisions: [revision(2, 'BUILDING'), revision(3, 'CREATING')] }),
    'skip',
    'r2',
  ],
  [
    'and of one that is about to be',
    state({ revisions: [revision(2, 'AWAITING_BUILD'), revision(3, 'QUEUED')] }),
    'skip',
    'r2',
  ],
  [
    'but not before its own source is there',
    state({ revisions: [revision(2, 'BUILDING'), revision(3, 'CREATING', false)] }),
    'wait',
    undefined,
  ],
  [
    'and goes on waiting',
    state({ revisions: [revision(2, 'AWAITING_DEPLOY'), revision(3, 'QUEUED')] }),
    'wait',
    undefined,
  ],
  [
    'what never ran is gone',
    state({ status: 'AWAITING_DELETE', keys_revoked: true }),
    'finish_removal',
    undefined,
  ],
  [
    'keys go first',
    state({ status: 'AWAITING_DELETE', assignment: removal({ is_done: true }) }),
    'revoke_keys',
    undefined,
  ],
  [
    'what runs is awaited',
    state({ status: 'AWAITING_DELETE', keys_revoked: true, assignment: removal() }),
    'wait',
    undefined,
  ],
  [
    'and gone when reported',
    state({ status: 'AWAITING_DELETE', keys_revoked: true, assignment: removal({ is_done: true }) }),
    'finish_removal',
    undefined,
  ],
  [
    'it rests in the bin',
    state({ status: 'DELETED', keys_revoked: true, assignment: removal({ is_done: true }) }),
    'wait',
    undefined,
  ],
  [
    'the tracing project goes',
    state({ status: 'DELETED', delete_project: true }),
    'delete_project',
    undefined,
  ],
  [
    'the bin is emptied',
    state({ status: 'DELETED', purge_due: true, assignment: removal({ is_done: true }) }),
    'purge',
    undefined,
  ],
  [
    'by the listener',
    state({ status: 'DELETED', purge_due: true, assignment: removal({ purge: true }) }),
    'wait',
    undefined,
  ],
  [
    'then nothing is left',
    state({ status: 'DELETED', purge_due: true, assignment: removal({ purge: true, is_done: true }) }),
    'erase',
    undefined,
  ],
  ['without it where it never ran', state({ status: 'DELETED', purge_due: true }), 'erase', undefined],
])(
  'when the next action is planned (%s), then it is the one that the state calls for',
  (_case, given, kind, id) => {
    const step = planAction(given);
    expect(step.kind).toBe(kind);
    expect('revision' in step ? step.revision.id : undefined).toBe(id);
  },
);

/** The state after a step is done; the statuses that it writes must be allowed. */
function done(given: DeploymentState): DeploymentState {
  const step = planAction(given);
  const move = (id: string, to: RevisionStatus) => ({
    ...given,
    revisions: given.revisions.flatMap((one) => {
      if (one.id !== id) return [one];
      expect(mayFollow(revisionFlow, one.status, to)).toBe(true);
      return isTerminal(revisionFlow, to) ? [] : [{ ...one, status: to }];
    }),
  });
  const { assignment } = given;
  switch (step.kind) {
    case 'wait':
    case 'erase':
      return given;
    case 'skip':
      return move(step.revision.id, 'SKIPPED');
    case 'queue':
      return move(step.revision.id, 'QUEUED');
    case 'assign':
      return {
        ...move(step.revision.id, 'AWAITING_BUILD'),
        assignment: { ...none, generation: assignment.generation + 1 },
      };
    case 'make_project':
      return { ...given, has_project: true };
    case 'make_key':
      return { ...given, has_key: true };
    case 'resume':
      return { ...given, assignment: { ...none, generation: assignment.generation + 1 } };
    case 'revoke_keys':
      return { ...given, has_key: false, keys_revoked: true };
    case 'delete_project':
      return { ...given, delete_project: false };
    case 'finish_removal':
      return { ...given, status: 'DELETED' };
    case 'purge':
      return { ...given, assignment: removal({ purge: true, generation: assignment.generation + 1 }) };
  }
}

const statuses: RevisionStatus[] = [
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
];
const isUnderWay = (one: PlannedRevision) => one.status !== 'CREATING' && one.status !== 'QUEUED';
const states: fc.Arbitrary<DeploymentState> = fc
  .record({
    status: fc.constantFrom('AWAITING_DATABASE', 'READY', 'AWAITING_DELETE', 'DELETED'),
    has_project: fc.boolean(),
    has_key: fc.boolean(),
    keys_revoked: fc.boolean(),
    delete_project: fc.boolean(),
    purge_due: fc.boolean(),
    /** The newest revision that has reached an end. */
    ended: fc.nat(12),
    revisions: fc.uniqueArray(
      fc.record({ number: fc.nat(20), status: fc.constantFrom(...statuses), has_source: fc.boolean() }),
      { selector: (one) => one.number, maxLength: 8 },
    ),
    assignment: fc.record({
      generation: fc.nat(9),
      removed: fc.boolean(),
      purge: fc.boolean(),
      is_done: fc.boolean(),
    }),
  })
  .map(({ ended, ...given }) => {
    const number = Math.max(ended, ...given.revisions.map((one) => one.number));
    const revisions = given.revisions.map((one) => ({ ...one, id: `r${one.number}` }));
    return { ...given, revisions, latest: { id: `r${number}`, number } };
  })
  .filter(({ revisions }) => revisions.filter(isUnderWay).length <= 1);

test('when a plan is followed, then it ends, with one under way at most, and keeps the newest', () => {
  fc.assert(
    fc.property(states, (begin) => {
      let at = begin;
      let steps = 0;
      for (; !['wait', 'erase'].includes(planAction(at).kind); steps += 1) {
        expect(steps).toBeLessThan(20);
        at = done(at);
        expect(at.revisions.filter(isUnderWay).length).toBeLessThanOrEqual(1);
      }
      if (begin.status !== 'READY' && begin.status !== 'AWAITING_DATABASE') return;
      const isWaiting = (one: PlannedRevision) => !isUnderWay(one);
      const { latest } = begin;
      const kept = begin.revisions.some((one) => isWaiting(one) && one.id === latest?.id);
      expect(at.revisions.some((one) => one.id === latest?.id) || !kept).toBe(true);
      expect(at.revisions.filter(isWaiting).every((one) => one.id === latest?.id)).toBe(true);
    }),
  );
});

test('when two states are equal, then so are their plans', () => {
  fc.assert(
    fc.property(states, (given) => {
      expect(planAction(given)).toEqual(planAction(structuredClone(given)));
    }),
  );
});
