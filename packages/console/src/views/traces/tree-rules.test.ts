import { expect, test } from 'vitest';
import type { SkeletonRun } from './skeleton-rules.ts';
import { agentGraphOf, barOf, rowsOf, treeOf } from './tree-rules.ts';

const T0 = Date.parse('2026-01-05T09:00:00Z');

interface Sketch {
  readonly parent?: string;
  readonly at?: number;
  readonly took?: number | null;
  readonly status?: string;
  readonly name?: string;
}

const run = (
  id: string,
  { parent, at = 0, took = 1, status = 'SUCCESS', name = id }: Sketch = {},
): SkeletonRun => ({
  id,
  parent_run_id: parent ?? null,
  name,
  run_type: 'CHAIN',
  start_time: new Date(T0 + at * 1000).toISOString(),
  latency_seconds: took,
  status,
  error_preview: null,
});

const runs = [
  run('a', { took: 10 }),
  run('b', { parent: 'a', at: 1 }),
  run('c', { parent: 'b', at: 1 }),
  run('d', { parent: 'a', at: 5, took: 5, status: 'ERROR' }),
];
const open = { closed: new Set<string>() };
const names = (rows: readonly { readonly run: SkeletonRun }[]) => rows.map((row) => row.run.id).join('');

test.each([
  ['all is open', open, 'abcd'],
  ['a run is closed', { closed: new Set(['b']) }, 'abd'],
  ['only errors pass', { ...open, passes: ({ status }: SkeletonRun) => status === 'ERROR' }, 'ad'],
  ['nothing passes', { ...open, passes: () => false }, ''],
])('when %s, then the rows are those', (_title, shown, ids) => {
  expect(names(rowsOf(treeOf(runs, T0), shown))).toBe(ids);
});

test('when a parent is missing or a run is its own, then the run is a root', () => {
  const { roots } = treeOf([run('x', { parent: 'gone' }), run('y', { parent: 'y' })], T0);
  expect(names(roots)).toBe('xy');
});

test('when a run lasts half of the trace, then its bar is half as wide', () => {
  const tree = treeOf(runs, T0);
  expect(tree.by_id.get('d')).toMatchObject({ depth: 1 });
  expect(barOf(tree.by_id.get('d') as never, tree)).toEqual({ left: 0.5, width: 0.5 });
});

test('when a run has no end yet, then it lasts until now', () => {
  expect(treeOf([run('a', { took: null })], T0 + 4000).end_ms).toBe(T0 + 4000);
});

test('when calls repeat, then the graph has each name once and a loop between them', () => {
  const looped = [
    run('r', { name: 'agent', took: 9 }),
    run('1', { parent: 'r', name: 'model', at: 1 }),
    run('2', { parent: 'r', name: 'tools', at: 2 }),
    run('3', { parent: 'r', name: 'model', at: 3 }),
  ];
  const { nodes, edges } = agentGraphOf(treeOf(looped, T0));
  expect(nodes.map(({ name, runs: many }) => [name, many])).toEqual([
    ['agent', 1],
    ['model', 2],
    ['tools', 1],
  ]);
  expect(edges.map(({ from, to }) => `${from} → ${to}`.replaceAll('CHAIN\n', ''))).toEqual([
    'agent → model',
    'model → tools',
    'tools → model',
  ]);
});

test('when a trace has 25,000 runs, then each of them has a row', () => {
  const many = Array.from({ length: 25_000 }, (_, index) =>
    run(String(index), { ...(index > 0 && { parent: String((index - 1) >> 3) }), at: index / 1000 }),
  );
  expect(rowsOf(treeOf(many, T0), open)).toHaveLength(25_000);
});
