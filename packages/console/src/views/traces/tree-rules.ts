import type { SkeletonRun } from './skeleton-rules.ts';

/** A trace as a tree, made in one pass: a trace may have 25,000 runs. Pure. */

export interface TreeNode {
  readonly run: SkeletonRun;
  readonly depth: number;
  readonly children: readonly TreeNode[];
  readonly begin_ms: number;
  readonly end_ms: number;
}

export interface Tree {
  readonly roots: readonly TreeNode[];
  readonly by_id: ReadonlyMap<string, TreeNode>;
  readonly begin_ms: number;
  readonly end_ms: number;
}

interface GrowingNode extends TreeNode {
  readonly children: GrowingNode[];
  depth: number;
}

/**
 * @param runs oldest first.
 * @param now_ms the end of runs that still run.
 */
export function treeOf(runs: readonly SkeletonRun[], now_ms: number): Tree {
  const by_id = new Map<string, GrowingNode>();
  let [begin, end] = [Infinity, -Infinity];
  for (const run of runs) {
    const begin_ms = Date.parse(run.start_time);
    const end_ms =
      run.latency_seconds === null ? Math.max(begin_ms, now_ms) : begin_ms + run.latency_seconds * 1000;
    by_id.set(run.id, { run, depth: 0, children: [], begin_ms, end_ms });
    begin = Math.min(begin, begin_ms);
    end = Math.max(end, end_ms);
  }
  const roots: GrowingNode[] = [];
  for (const node of by_id.values()) {
    const { id, parent_run_id } = node.run;
    const parent = parent_run_id === null || parent_run_id === id ? undefined : by_id.get(parent_run_id);
    (parent?.children ?? roots).push(node);
  }
  const waiting = [...roots];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop())
    for (const child of node.children) {
      child.depth = node.depth + 1;
      waiting.push(child);
    }
  return { roots, by_id, begin_ms: begin, end_ms: Math.max(end, begin + 1) };
}

interface RowChoice {
  /** The ids of runs whose children are hidden. */
  readonly closed: ReadonlySet<string>;
  /** Only runs that pass, and those above them. */
  readonly passes?: ((run: SkeletonRun) => boolean) | undefined;
}

/** The rows in sight, from top to bottom. */
export function rowsOf({ roots, by_id }: Tree, { closed, passes }: RowChoice): readonly TreeNode[] {
  const kept = passes === undefined ? undefined : withThoseAbove(by_id, passes);
  const rows: TreeNode[] = [];
  const waiting = roots.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (kept !== undefined && !kept.has(node.run.id)) continue;
    rows.push(node);
    if (kept === undefined && closed.has(node.run.id)) continue;
    for (let index = node.children.length - 1; index >= 0; index -= 1) {
      const child = node.children[index];
      if (child !== undefined) waiting.push(child);
    }
  }
  return rows;
}

function withThoseAbove(by_id: Tree['by_id'], passes: (run: SkeletonRun) => boolean): ReadonlySet<string> {
  const kept = new Set<string>();
  for (const { run } of by_id.values()) {
    if (!passes(run)) continue;
    let id: string | null = run.id;
    while (id !== null && !kept.has(id)) {
      kept.add(id);
      id = by_id.get(id)?.run.parent_run_id ?? null;
    }
  }
  return kept;
}

/** Where a bar of the waterfall begins, and how wide it is, as shares of the whole. */
export function barOf(
  node: TreeNode,
  { begin_ms, end_ms }: Tree,
): { readonly left: number; readonly width: number } {
  const whole = end_ms - begin_ms;
  return { left: (node.begin_ms - begin_ms) / whole, width: (node.end_ms - node.begin_ms) / whole };
}

export interface GraphNode {
  readonly id: string;
  readonly name: string;
  readonly run_type: string;
  readonly runs: number;
  readonly errors: number;
  readonly ms: number;
  readonly first_run: string;
}

interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly times: number;
}

export interface AgentGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/**
 * What called what and what came next: runs of one name and kind are a node. Of the children of a run, the first is
 * called by it, and what begins after another has ended follows that one.
 */
export function agentGraphOf({ by_id }: Tree): AgentGraph {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphEdge>();
  for (const node of by_id.values()) {
    const { run } = node;
    const id = keyOf(run);
    const known = nodes.get(id);
    nodes.set(id, {
      id,
      name: run.name,
      run_type: run.run_type,
      runs: (known?.runs ?? 0) + 1,
      errors: (known?.errors ?? 0) + (run.status === 'ERROR' ? 1 : 0),
      ms: (known?.ms ?? 0) + node.end_ms - node.begin_ms,
      first_run: known?.first_run ?? run.id,
    });
  }
  const join = (from: string, to: string) => {
    const id = `${from}\n${to}`;
    edges.set(id, { from, to, times: (edges.get(id)?.times ?? 0) + 1 });
  };
  for (const { run, children } of by_id.values()) joinChildren(keyOf(run), children, join);
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

const keyOf = ({ run_type, name }: SkeletonRun) => `${run_type}\n${name}`;

function joinChildren(
  parent: string,
  children: readonly TreeNode[],
  join: (from: string, to: string) => void,
): void {
  let before: TreeNode | undefined;
  for (const child of children) {
    const follows = before !== undefined && child.begin_ms >= before.end_ms;
    join(follows && before !== undefined ? keyOf(before.run) : parent, keyOf(child.run));
    before = child;
  }
}
