import type { Run } from '@roadstead/contracts/observability';
import type { ShownText } from '../../paging/text-cut-rules.ts';
import { errorLine, latencyOf, numberOf } from './run-summary-rules.ts';

/** Builds a trace as a tree of runs, and selects the branches that a question is about. */

export interface RunNode {
  readonly id: string;
  readonly name: string;
  readonly run_type: string;
  readonly status: string;
  readonly latency_s?: number;
  readonly total_tokens?: number;
  readonly total_cost?: number;
  /** The first line of the error. */
  readonly error?: ShownText;
}

export interface Branch {
  readonly node: RunNode;
  readonly children: Branch[];
}

/** The fields of a skeleton; payloads are not read. */
export const SKELETON = [
  'id',
  'name',
  'run_type',
  'status',
  'start_time',
  'end_time',
  'error',
  'total_tokens',
  'total_cost',
  'parent_run_id',
  'trace_id',
  'dotted_order',
] as const;

/** A run without the members that are not shown; its error may be long. */
export interface SkeletonRun extends RunNode {
  readonly parent_run_id: string | null;
  /** The key by which siblings are sorted in the order in which they ran. */
  readonly order: string;
}

export function skeletonOf(run: Run): SkeletonRun {
  const latency_s = latencyOf(run);
  const error = errorLine(run.error);
  const cost = numberOf(run.total_cost);
  return {
    id: run.id,
    name: run.name ?? '',
    run_type: run.run_type ?? '',
    status: run.status ?? 'pending',
    ...(latency_s === undefined ? {} : { latency_s }),
    ...(run.total_tokens ? { total_tokens: run.total_tokens } : {}),
    ...(cost > 0 ? { total_cost: cost } : {}),
    ...(error === undefined ? {} : { error }),
    parent_run_id: run.parent_run_id ?? null,
    order: run.dotted_order ?? run.start_time ?? '',
  };
}

/** The trees of runs; a run whose parent isn't among them is a root. */
export function treesOf(runs: readonly SkeletonRun[]): Branch[] {
  const sorted = runs.toSorted((one, other) =>
    one.order < other.order ? -1 : one.order > other.order ? 1 : 0,
  );
  const branches = new Map(sorted.map((run) => [run.id, { node: nodeOf(run), children: [] as Branch[] }]));
  const roots: Branch[] = [];
  for (const { id, parent_run_id } of sorted) {
    const branch = branches.get(id);
    const parent = parent_run_id === null || parent_run_id === id ? undefined : branches.get(parent_run_id);
    if (branch !== undefined) (parent?.children ?? roots).push(branch);
  }
  return roots;
}

function nodeOf(run: SkeletonRun): RunNode {
  const { parent_run_id: _, order: _1, ...node } = run;
  return node;
}

/** Every branch with its depth, parents before children. */
export function* eachBranch(
  trees: readonly Branch[],
): Generator<{ readonly branch: Branch; readonly depth: number }> {
  const left = trees.map((branch) => ({ branch, depth: 0 })).toReversed();
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    yield next;
    const { branch, depth } = next;
    for (const child of branch.children.toReversed()) left.push({ branch: child, depth: depth + 1 });
  }
}

export interface BranchConditions {
  /** Part of the name, in any case. */
  readonly name?: string | undefined;
  readonly run_type?: string | undefined;
  readonly min_latency_ms?: number | undefined;
  readonly errors_only?: boolean | undefined;
}

export function isAsked(
  { node }: Branch,
  { name, run_type, min_latency_ms, errors_only }: BranchConditions,
): boolean {
  return (
    (name === undefined || node.name.toLowerCase().includes(name.toLowerCase())) &&
    (run_type === undefined || node.run_type === run_type) &&
    (min_latency_ms === undefined || (node.latency_s ?? 0) * 1000 >= min_latency_ms) &&
    (errors_only !== true || isFailed(node))
  );
}

/** An error without that status is none: a graph that interrupts throws, too. */
export const isFailed = ({ status }: RunNode) => status === 'error';

/** The branches that match, with their ancestors. */
export function narrowed(trees: readonly Branch[], passes: (branch: Branch) => boolean): Branch[] {
  const all = [...eachBranch(trees)].map(({ branch }) => branch);
  const kept = new Map<Branch, Branch>();
  // Children come after their parents, so that going backwards each child is decided before its parent.
  for (const branch of all.toReversed()) {
    const children = branch.children.flatMap((child) => kept.get(child) ?? []);
    if (children.length > 0 || passes(branch)) kept.set(branch, { node: branch.node, children });
  }
  return trees.flatMap((branch) => kept.get(branch) ?? []);
}

/** The origins of failures: failed runs below which none failed, in the order in which they ran. */
export function firstFailures(trees: readonly Branch[]): RunNode[] {
  return [...eachBranch(trees)]
    .map(({ branch }) => branch)
    .filter(({ node, children }) => isFailed(node) && !children.some((child) => isFailed(child.node)))
    .map(({ node }) => node);
}
