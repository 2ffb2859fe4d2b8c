import { expect, test } from 'vitest';
import { attach, detach, isDetached, liveRunOf } from './live-run.ts';

const runOf = (is_adopted: boolean) =>
  liveRunOf({ seq_before: 0, cancel: null } as never, { has_checkpoint: false, task: undefined, is_adopted });

test('when a run is new, then it is attached, and one that is found unfinished is adopted', () => {
  expect([runOf(false).attachment, runOf(true).attachment]).toEqual(['attached', 'adopted']);
});

test.each([
  ['new', false],
  ['found unfinished', true],
])('when a run that was %s is detached, then no later attempt attaches it', (_, is_adopted) => {
  const run = runOf(is_adopted);
  detach(run);
  attach(run);
  expect(isDetached(run)).toBe(true);
});

test('when an adopted run begins an attempt, then it is attached until it is detached', () => {
  const run = runOf(true);
  attach(run);
  expect(run.attachment).toBe('attached');
  detach(run);
  expect(isDetached(run)).toBe(true);
});
