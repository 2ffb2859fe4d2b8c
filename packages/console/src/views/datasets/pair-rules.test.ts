import { expect, it } from 'vitest';
import { byRun, choiceBetween, isSwapped, scoresOf, type Side } from './pair-rules.ts';

it.each(['first', 'second', 'equal'] as const)('when %s was chosen, then it is read back', (side: Side) => {
  const [one, other] = scoresOf[side];
  const feedback = byRun([
    { id: '1', run_id: 'a', score: one },
    { id: '2', run_id: 'b', score: other },
    { id: '3', run_id: 'a', score: 0.2 },
    { id: '4', run_id: null, score: 1 },
  ]);
  expect(choiceBetween(['a', 'b'], feedback)).toBe(side);
  expect(choiceBetween(['a', 'c'], feedback)).toBeUndefined();
});

it('when examples differ, then some show the experiments in the other order', () => {
  expect(new Set(['a', 'b', 'c'].map(isSwapped))).toEqual(new Set([true, false]));
});
