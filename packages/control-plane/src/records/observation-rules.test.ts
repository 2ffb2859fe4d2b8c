import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTerminal, mayFollow } from '@roadstead/contracts';
import { Phase, revisionFlow, RevisionStatus } from '@roadstead/contracts/control-plane';
import { endPhase, failureReason, recordPhase, statusPath } from './observation-rules.ts';

const outcomes = ['running', 'done', 'failed'] as const;

test.each<[RevisionStatus, Phase, (typeof outcomes)[number], RevisionStatus[]]>([
  ['AWAITING_BUILD', 'queue', 'running', []],
  ['AWAITING_BUILD', 'source', 'running', ['BUILDING']],
  ['BUILDING', 'install', 'running', []],
  ['BUILDING', 'build', 'done', []],
  ['BUILDING', 'start', 'running', ['DEPLOYING']],
  ['BUILDING', 'build', 'failed', ['BUILD_FAILED']],
  ['AWAITING_BUILD', 'source', 'failed', ['BUILD_FAILED']],
  ['AWAITING_BUILD', 'queue', 'failed', ['CREATE_FAILED']],
  ['AWAITING_BUILD', 'health', 'failed', ['DEPLOYING', 'DEPLOY_FAILED']],
  ['AWAITING_BUILD', 'switch', 'done', ['DEPLOYING', 'DEPLOYED']],
  ['AWAITING_DEPLOY', 'source', 'running', []],
  ['AWAITING_DEPLOY', 'source', 'failed', ['DEPLOY_FAILED']],
  ['AWAITING_DEPLOY', 'start', 'running', ['DEPLOYING']],
  ['AWAITING_DEPLOY', 'switch', 'done', ['DEPLOYED']],
  ['DEPLOYING', 'build', 'running', []],
  ['DEPLOYING', 'health', 'done', []],
  ['DEPLOYING', 'health', 'failed', ['DEPLOY_FAILED']],
  ['DEPLOYING', 'switch', 'running', []],
  ['DEPLOYING', 'switch', 'done', ['DEPLOYED']],
  ['DEPLOYED', 'switch', 'done', []],
  ['DEPLOYED', 'health', 'failed', []],
  ['BUILD_FAILED', 'switch', 'done', []],
])('when a revision is %s and is seen in %s %s, then it goes %j', (from, phase, outcome, path) => {
  expect(statusPath(from, { phase, outcome })).toEqual(path);
});

const underWay: RevisionStatus[] = ['AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING'];
const all = RevisionStatus.options.flatMap((from) =>
  Phase.options.flatMap((phase) => outcomes.map((outcome) => ({ from, phase, outcome }))),
);

test('when a revision goes any way, then each step is allowed, none is repeated, an end is final', () => {
  expect(all.length).toBe(13 * 7 * 3);
  for (const { from, phase, outcome } of all) {
    const path = statusPath(from, { phase, outcome });
    const steps = [from, ...path];
    path.forEach((to, index) => expect(mayFollow(revisionFlow, steps[index] ?? from, to)).toBe(true));
    expect(new Set(steps).size).toBe(steps.length);
    const last = path.at(-1) ?? '';
    const moves = underWay.includes(from);
    expect(isTerminal(revisionFlow, from) && path.length > 0).toBe(false);
    expect(last.includes('FAILED')).toBe(outcome === 'failed' && path.length > 0);
    expect(moves && outcome === 'failed' && path.length === 0).toBe(false);
    expect(last === 'DEPLOYED' || !(moves && outcome === 'done' && phase === 'switch')).toBe(true);
  }
});

const now = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

test('when phases are reported, then they follow one another, and a late word changes nothing', () => {
  let phases = recordPhase([], { phase: 'queue', outcome: 'running' }, { now: now(0), is_new_holder: false });
  const see = (phase: Phase, outcome: (typeof outcomes)[number], minute: number, is_new_holder = false) =>
    (phases = recordPhase(phases, { phase, outcome }, { now: now(minute), is_new_holder }));
  see('source', 'running', 1);
  see('build', 'running', 2);
  see('build', 'running', 3);
  see('source', 'running', 4);
  expect(phases).toEqual([
    { phase: 'queue', started_at: now(0), ended_at: now(1) },
    { phase: 'source', started_at: now(1), ended_at: now(2) },
    { phase: 'build', started_at: now(2), ended_at: null },
  ]);
  see('build', 'done', 5);
  see('build', 'done', 6);
  expect(phases.at(-1)).toEqual({ phase: 'build', started_at: now(2), ended_at: now(5) });
  see('source', 'running', 7, true);
  see('switch', 'done', 8);
  expect(phases.slice(3)).toEqual([
    { phase: 'source', started_at: now(7), ended_at: now(8) },
    { phase: 'switch', started_at: now(8), ended_at: now(8) },
  ]);
  expect(endPhase(phases, now(9))).toEqual(phases);
});

test('when reports arrive in any order, then only the last phase is ever open', () => {
  const word = fc.record({
    phase: fc.constantFrom(...Phase.options),
    outcome: fc.constantFrom(...outcomes),
    life: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      const phases = words.reduce<ReturnType<typeof recordPhase>>(
        (so_far, { life, ...seen }, index) =>
          recordPhase(so_far, seen, { now: now(index), is_new_holder: life }),
        [],
      );
      expect(phases.slice(0, -1).every((one) => one.ended_at !== null)).toBe(true);
      expect(endPhase(phases, now(59)).every((one) => one.ended_at !== null)).toBe(true);
    }),
  );
});

test('when a reason is long, then it is cut to fit into an answer', () => {
  const reason = failureReason({
    phase: 'build',
    reason: {
      phase: 'build',
      code: 'c'.repeat(500),
      message: 'm'.repeat(9000),
      log_tail: Array.from({ length: 99 }, () => 'x'.repeat(9000)),
    },
  });
  expect(JSON.stringify(reason).length).toBeLessThan(110_000);
  expect(reason.log_tail).toHaveLength(50);
  expect(failureReason({ phase: 'start', reason: null })).toMatchObject({ phase: 'start', code: 'failed' });
});
