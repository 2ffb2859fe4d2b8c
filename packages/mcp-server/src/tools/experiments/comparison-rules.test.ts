import { expect, test } from 'vitest';
import { changesOf, inOrderOfLoss, rowOf } from './comparison-rules.ts';
import { deltasOf, figuresOf } from './experiment-figures-rules.ts';

const measures = { experiment_ids: ['A', 'B'], lower_is_better: new Set(['harm']) };
const run = (project_id: string, scores: Record<string, number>, more: object = {}) => ({
  id: `${project_id} run`,
  project_id,
  feedback_stats: Object.fromEntries(Object.entries(scores).map(([key, avg]) => [key, { n: 1, avg }])),
  ...more,
});
const row = (id: string, runs: ReturnType<typeof run>[], more: object = {}) =>
  rowOf({ id, inputs: {}, runs }, { ...measures, ...more });

test.each<[string, ReturnType<typeof run>[], string, number]>([
  ['a lower score', [run('A', { ok: 1 }), run('B', { ok: 0.25 })], 'regressed', 0.75],
  ['a higher score', [run('A', { ok: 0 }), run('B', { ok: 1 })], 'improved', -1],
  ['the same', [run('A', { ok: 1 }), run('B', { ok: 1 })], 'same', 0],
  ['more of what should be little', [run('A', { harm: 0.1 }), run('B', { harm: 0.4 })], 'regressed', 0.3],
  ['an error that is new', [run('A', {}), run('B', {}, { status: 'ERROR' })], 'regressed', 1],
  ['an error that is gone', [run('A', {}, { error_preview: 'no' }), run('B', {})], 'improved', -1],
  [
    'one better and one worse',
    [run('A', { ok: 0, fast: 1 }), run('B', { ok: 1, fast: 0.5 })],
    'regressed',
    -0.5,
  ],
  ['a score that only one has', [run('A', { ok: 1 }), run('B', { fast: 0 })], 'same', 0],
  ['an example that only one ran', [run('B', { ok: 0 })], 'same', 0],
  [
    'repetitions, by their means',
    [run('A', { ok: 1 }), run('A', { ok: 0 }), run('B', { ok: 0 }), run('B', { ok: 1 })],
    'same',
    0,
  ],
])(
  'when two experiments are compared, then the row is judged by its scores: %s',
  (_what, runs, kind, loss) => {
    expect(row('e', runs)).toMatchObject({ kind, loss });
  },
);

test('when one key of feedback is chosen, then it counts alone, without errors', () => {
  const runs = [run('A', { ok: 1, fast: 1 }), run('B', { ok: 0, fast: 1 }, { status: 'error' })];
  expect(row('e', runs, { feedback_key: 'fast' })).toMatchObject({ kind: 'same', loss: 0 });
  expect(row('e', runs, { feedback_key: 'ok' })).toMatchObject({ kind: 'regressed', loss: 1 });
});

test('when rows are ordered, then the most regressed come first, then the most improved', () => {
  const rows = [
    row('same', [run('A', { ok: 1 }), run('B', { ok: 1 })]),
    row('a little better', [run('A', { ok: 0 }), run('B', { ok: 0.1 })]),
    row('a little worse', [run('A', { ok: 1 }), run('B', { ok: 0.9 })]),
    row('much better', [run('A', { ok: 0 }), run('B', { ok: 1 })]),
    row('much worse', [run('A', { ok: 1 }), run('B', { ok: 0 })]),
  ];
  expect(inOrderOfLoss(rows).map(({ example_id }) => example_id)).toEqual([
    'much worse',
    'a little worse',
    'much better',
    'a little better',
    'same',
  ]);
  expect(changesOf(rows, { measures, place: 1 })).toEqual({ better: { ok: 2 }, worse: { ok: 2 } });
});

test('when there are repetitions, then the one that failed is shown', () => {
  const runs = [
    run('A', {}),
    { ...run('B', {}), id: 'fine' },
    { ...run('B', {}, { error_preview: 'no\nwhy' }), id: 'bad' },
  ];
  expect(row('e', runs).cells[1]).toMatchObject({ run_id: 'bad', failed: true, error: 'no' });
});

test('when figures are written as texts, then they are numbers, and differ by what there is', () => {
  const session = {
    id: 'x',
    tenant_id: 't',
    name: 'n',
    start_time: '',
    total_cost: '0.3' as never,
    latency_p50: 1,
  };
  const before = figuresOf({ ...session, feedback_stats: { ok: { n: 2, avg: 0.1 } } }, undefined);
  const after = figuresOf(
    { ...session, latency_p50: 3, feedback_stats: { ok: { n: 2, avg: 0.3 }, new: { n: 1, avg: 1 } } },
    undefined,
  );
  expect(before).toEqual({ latency_p50: 1, total_cost: 0.3, feedback: { ok: { n: 2, avg: 0.1 } } });
  expect(deltasOf(before, after)).toEqual({ latency_p50: 2, total_cost: 0, feedback: { ok: 0.2 } });
  expect(figuresOf({ ...session, feedback_stats: { ok: { n: 1 }, other: { n: 1 } } }, 'ok')).toHaveProperty(
    'feedback',
    {
      ok: { n: 1 },
    },
  );
});
