import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type OutlineNode, outlineOf } from './trace-outline-rules.ts';
import {
  eachBranch,
  firstFailures,
  isAsked,
  narrowed,
  type BranchConditions,
  type SkeletonRun,
  treesOf,
} from './trace-tree-rules.ts';

interface Spec extends Partial<SkeletonRun> {
  readonly below?: readonly Spec[];
}

/** The runs of a tree written as text, in some order. */
function runsOf(specs: readonly Spec[], parent_run_id: string | null = null, before = ''): SkeletonRun[] {
  return specs.flatMap(({ below = [], ...more }, at) => {
    const order = `${before}${String(at).padStart(4, '0')}`;
    const id = more.id ?? order;
    const run = { id, name: 'step', run_type: 'tool', status: 'success', parent_run_id, order, ...more };
    return [...runsOf(below, id, `${order}.`), run];
  });
}
const told = (nodes: readonly OutlineNode[]) =>
  nodes.map(({ depth, id, folded, hidden }) => [`${'-'.repeat(depth)}${id}`, folded ?? 1, hidden ?? 0]);

const agent: Spec[] = [
  {
    id: 'root',
    name: 'agent',
    run_type: 'chain',
    status: 'error',
    below: [
      ...Array.from({ length: 5 }, (_, at) => ({
        id: `call ${at}`,
        name: 'model',
        latency_s: at,
        total_tokens: 10,
        total_cost: 0.1,
        below: [{ id: `prompt ${at}`, name: 'prompt' }],
      })),
      {
        id: 'lookup',
        name: 'lookup',
        status: 'error',
        error: 'no',
        below: [{ id: 'http', status: 'error' }],
      },
      { id: 'last', name: 'model' },
    ],
  },
];

test('when a tree fits, then it is told run by run, each after what it is part of', () => {
  const { nodes, ...rest } = outlineOf(treesOf(runsOf(agent)), { chars: 5000 });
  expect(rest).toEqual({ left_out: 0, is_folded: false, is_cut: false });
  expect(told(nodes).map(([id]) => id)).toEqual([
    'root',
    ...[0, 1, 2, 3, 4].flatMap((at) => [`-call ${at}`, `--prompt ${at}`]),
    '-lookup',
    '--http',
    '-last',
  ]);
});

test('when a tree does not fit, then siblings alike become one line, in place of the slowest', () => {
  const { nodes, left_out, is_folded } = outlineOf(treesOf(runsOf(agent)), { chars: 900 });
  expect(told(nodes)).toEqual([
    ['root', 1, 0],
    ['-call 4', 6, 5],
    ['-lookup', 1, 0],
    ['--http', 1, 0],
  ]);
  expect(nodes[1]).toMatchObject({ total_tokens: 50, total_cost: 0.5, latency_s: 4 });
  expect([left_out, is_folded]).toEqual([5, true]);
});

test('when there are deep levels, then they give way to what leads to a failure', () => {
  const chain = (depth: number, leaf: Spec): Spec => ({
    name: `level ${depth}`,
    below: depth === 0 ? [leaf] : [chain(depth - 1, leaf)],
  });
  const below = [
    chain(3, { id: 'failed', status: 'error' }),
    ...Array.from({ length: 9 }, () => chain(3, {})),
  ];
  const distinct = below.map((one, at) => ({ ...one, name: `branch ${at}` }));
  const outline = outlineOf(treesOf(runsOf([{ id: 'root', below: distinct }])), { chars: 2600 });
  expect(outline).toMatchObject({ is_folded: true, is_cut: false, whole_depth: 1 });
  const ids = outline.nodes.map(({ id }) => id);
  expect(ids).toContain('failed');
  expect(outline.nodes.filter(({ depth }) => depth === 1)).toHaveLength(10);
  expect(outline.nodes.filter(({ hidden }) => hidden === 4)).toHaveLength(9);
});

test('when even that is too long, then the last are left out', () => {
  const below = Array.from({ length: 50 }, (_, at) => ({
    name: `step ${at}`,
    status: at === 40 ? 'error' : 'success',
  }));
  const outline = outlineOf(treesOf(runsOf([{ id: 'root', below }])), { chars: 1500 });
  expect(outline.is_cut).toBe(true);
  expect(outline.left_out).toBe(51 - outline.nodes.length);
  const names = outline.nodes.map(({ name }) => name);
  expect(names).toEqual([
    'step',
    ...Array.from({ length: names.length - 2 }, (_, at) => `step ${at}`),
    'step 40',
  ]);
});

test('when a depth is asked for, then the outline goes no deeper', () => {
  const outline = outlineOf(treesOf(runsOf(agent)), { max_depth: 1, chars: 9000 });
  expect(Math.max(...outline.nodes.map(({ depth }) => depth))).toBe(1);
  expect(outline).toMatchObject({ left_out: 6, is_folded: false });
});

const anyTree = fc.letrec<{ tree: Spec }>((tie) => ({
  tree: fc.record(
    {
      name: fc.constantFrom('a', 'b', 'c'),
      status: fc.constantFrom('success', 'success', 'error'),
      latency_s: fc.nat(9),
      total_tokens: fc.nat(100),
      below: fc.oneof(
        { depthIdentifier: 'tree', maxDepth: 4 },
        fc.constant([]),
        fc.array(tie('tree'), { maxLength: 8 }),
      ),
    },
    { requiredKeys: ['name', 'status', 'below'] },
  ),
})).tree;

test('when an outline is made, then it fits, counts every run once, and keeps children in place', () => {
  fc.assert(
    fc.property(fc.array(anyTree, { maxLength: 5 }), fc.integer({ min: 200, max: 4000 }), (specs, chars) => {
      const runs = runsOf(specs);
      const trees = treesOf(runs);
      const { nodes, left_out } = outlineOf(trees, { chars });
      expect(JSON.stringify(nodes).length).toBeLessThanOrEqual(chars);
      expect(nodes.reduce((sum, { folded = 1 }) => sum + folded, left_out)).toBe(runs.length);
      const place = new Map(
        [...eachBranch(trees)].map(({ branch, depth }, at) => [branch.node.id, { at, depth }]),
      );
      expect(nodes.map(({ id, depth }) => place.get(id)?.depth === depth)).not.toContain(false);
      for (const [at, { depth }] of nodes.entries())
        expect(depth).toBeLessThanOrEqual((nodes[at - 1]?.depth ?? -1) + 1);
    }),
  );
});

test('when runs come in any order, with parents missing or themselves, then the tree is the same', () => {
  const runs = runsOf([
    { id: 'a', below: [{ id: 'b' }] },
    { id: 'c', parent_run_id: 'gone' },
    { id: 'd', parent_run_id: 'd' },
  ]);
  const ids = (trees: ReturnType<typeof treesOf>) =>
    [...eachBranch(trees)].map(({ branch, depth }) => `${depth}${branch.node.id}`);
  fc.assert(
    fc.property(fc.shuffledSubarray(runs, { minLength: 4 }), (shuffled) => {
      expect(ids(treesOf(shuffled))).toEqual(['0a', '1b', '0c', '0d']);
    }),
  );
});

test.each<[BranchConditions, string[]]>([
  [{ name: 'LOOK' }, ['root', 'lookup']],
  [{ errors_only: true }, ['root', 'lookup', 'http']],
  [{ min_latency_ms: 3000 }, ['root', 'call 3', 'call 4']],
  [{ run_type: 'chain' }, ['root']],
  [{ name: 'model', min_latency_ms: 4000 }, ['root', 'call 4']],
  [{ name: 'nothing' }, []],
])('when %j is asked for, then the tree keeps such runs and what stands above them', (asked, ids) => {
  const trees = narrowed(treesOf(runsOf(agent)), (branch) => isAsked(branch, asked));
  expect([...eachBranch(trees)].map(({ branch }) => branch.node.id)).toEqual(ids);
});

test('when runs failed, then the failure began where nothing below failed', () => {
  expect(firstFailures(treesOf(runsOf(agent))).map(({ id }) => id)).toEqual(['http']);
});
