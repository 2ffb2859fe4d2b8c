import { describe, expect, it } from 'vitest';
import { changeCounts, comparedRow, inOrder, resultOf, type RunLike } from './compare-rules.ts';
import { meanScores, scoreText } from './score-rules.ts';

const [BASE, NEW] = ['base', 'new'];

interface RunOptions {
  readonly error?: string;
  readonly more?: Partial<RunLike>;
}

const run = (
  session_id: string,
  scores: Record<string, number>,
  { error, more }: RunOptions = {},
): RunLike => ({
  id: `${session_id} run`,
  session_id,
  trace_id: 'trace',
  start_time: '2026-01-01T00:00:00Z',
  end_time: '2026-01-01T00:00:02Z',
  error: error ?? null,
  feedbacks: Object.entries(scores).map(([key, score]) => ({ key, score })),
  ...more,
});

const row = (runs: readonly RunLike[], id = 'example') =>
  comparedRow(
    { id, inputs: {}, outputs: null, runs },
    { experiments: [BASE, NEW], baseline: BASE, lower: new Set(['toxicity']) },
  );

describe('a comparison with the baseline', () => {
  it.each([
    ['a score falls', [run(BASE, { exact: 1 }), run(NEW, { exact: 0 })], 'regressed'],
    ['a score rises', [run(BASE, { exact: 0 }), run(NEW, { exact: 1 })], 'improved'],
    ['nothing differs', [run(BASE, { exact: 1 }), run(NEW, { exact: 1 })], 'same'],
    ['one rises and one falls', [run(BASE, { a: 1, b: 0 }), run(NEW, { a: 0, b: 1 })], 'regressed'],
    ['less is better and it falls', [run(BASE, { toxicity: 1 }), run(NEW, { toxicity: 0 })], 'improved'],
    ['less is better and it rises', [run(BASE, { toxicity: 0 }), run(NEW, { toxicity: 1 })], 'regressed'],
    ['an error is new', [run(BASE, {}), run(NEW, {}, { error: 'no' })], 'regressed'],
    ['an error is gone', [run(BASE, {}, { error: 'no' }), run(NEW, {})], 'improved'],
    ['no key is in both', [run(BASE, { a: 1 }), run(NEW, { b: 1 })], 'unknown'],
    ['there is no run', [run(BASE, { a: 1 })], 'unknown'],
  ] as const)('when %s, then the change is told', (_case, runs, change) => {
    expect(row(runs).change).toBe(change);
  });
});

it('when runs are repeated, then their means count, and pairwise feedback does not', () => {
  const pairwise = { key: 'preference', score: 1, comparative_experiment_id: 'c' };
  const result = resultOf([
    run(NEW, { exact: 1 }, { more: { total_cost: 0.02 } }),
    run(NEW, { exact: 0 }, { more: { total_cost: 0.04, feedbacks: [{ key: 'exact', score: 0 }, pairwise] } }),
  ]);
  expect(result).toMatchObject({ run_count: 2, scores: { exact: 0.5 }, latency_ms: 2000 });
  expect(result?.scores).not.toHaveProperty('preference');
  expect(result?.cost).toBeCloseTo(0.03);
  expect(resultOf([])).toBeUndefined();
});

it('when rows are ordered, then regressions come first, the largest loss before others', () => {
  const rows = [
    row([run(BASE, { a: 1 }), run(NEW, { a: 1 })], 'same'),
    row([run(BASE, { a: 0 }), run(NEW, { a: 1 })], 'better'),
    row([run(BASE, { a: 1 }), run(NEW, { a: 0.8 })], 'a little worse'),
    row([], 'no runs'),
    row([run(BASE, { a: 1 }), run(NEW, { a: 0 })], 'worse'),
    row([run(BASE, {}), run(NEW, {}, { error: 'no' })], 'failed'),
  ];
  expect(inOrder(rows).map(({ example }) => example.id)).toEqual([
    'worse',
    'failed',
    'a little worse',
    'better',
    'same',
    'no runs',
  ]);
  expect(changeCounts(rows)).toEqual({ regressed: 3, improved: 1, same: 1, unknown: 1 });
});

it('when statistics of feedback are read, then only keys with a mean are shown', () => {
  expect(meanScores({ exact: { avg: 0.25, n: 4 }, note: { avg: null, n: 1 } })).toEqual({ exact: 0.25 });
  expect(meanScores(null)).toEqual({});
  expect([scoreText(1 / 3), scoreText(1)]).toEqual(['0.33', '1']);
});
