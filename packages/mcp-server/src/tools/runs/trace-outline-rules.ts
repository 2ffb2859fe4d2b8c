import { round } from './run-summary-rules.ts';
import { type Branch, eachBranch, isFailed, type RunNode } from './trace-tree-rules.ts';

/** Writes a tree in lines, as many as there is room for: a large one is condensed, with a note of where. */

export interface OutlineNode extends RunNode {
  readonly depth: number;
  /** The number of similar siblings of which this is the slowest; tokens and costs cover all of them. */
  readonly folded?: number;
  /** The number of runs below that are not listed. */
  readonly hidden?: number;
}

export interface Outline {
  readonly nodes: readonly OutlineNode[];
  /** Runs without a line, hidden ones included. */
  readonly left_out: number;
  readonly is_folded: boolean;
  /** Below this depth only branches that lead to a failure are listed; undefined where everything requested is. */
  readonly whole_depth?: number;
  /** Whether even that did not fit. */
  readonly is_cut: boolean;
}

/** Fewer similar siblings are listed one by one. */
const MIN_FOLDED = 4;
/** The most characters of depth, hidden and folded. */
const AROUND = 60;

interface Facts {
  /** The runs of the branch, itself included. */
  readonly count: number;
  readonly has_failure: boolean;
  readonly chars: number;
}

interface OutlineOptions {
  /** Down to this depth everything is listed, down to `max_depth` only what leads to a failure. */
  readonly depth: number;
  readonly max_depth: number;
  readonly folds: boolean;
}

/** Everything where it fits; else similar siblings are folded, deep levels left out, and finally the last lines. */
export function outlineOf(
  trees: readonly Branch[],
  { max_depth: asked = Infinity, chars }: { readonly max_depth?: number | undefined; readonly chars: number },
): Outline {
  const facts = factsOf(trees);
  const size = ({ shown }: Line) => (facts.get(shown)?.chars ?? 0) + AROUND;
  const fits = (lines: Iterable<Line>) => {
    let room = chars;
    for (const line of lines) if ((room -= size(line)) < 0) return false;
    return true;
  };
  const deepest = [...eachBranch(trees)].reduce((most, { depth }) => Math.max(most, depth), 0);
  const max_depth = Math.min(asked, deepest);
  const whole = () => linesOf(trees, { depth: max_depth, max_depth, folds: false }, facts);
  if (fits(whole())) return written([...whole()], { facts, trees, is_folded: false, is_cut: false });
  const at = (depth: number) => linesOf(trees, { depth, max_depth, folds: true }, facts);
  // The greatest depth that fits, or 0 where none does; a greater depth is never shorter.
  let depth = 0;
  for (let above = max_depth + 1; above - depth > 1;) {
    const middle = Math.floor((depth + above) / 2);
    if (fits(at(middle))) depth = middle;
    else above = middle;
  }
  // Some of the root's children tell more than their number alone.
  const told = Math.max(depth, Math.min(1, max_depth));
  const lines = [...at(told)];
  const first = firstThatFit(lines, { room: chars, size, facts });
  const is_cut = first.length < lines.length;
  const limit = told < max_depth ? { whole_depth: told } : {};
  return { ...written(first, { facts, trees, is_folded: true, is_cut }), ...limit };
}

interface Room {
  readonly room: number;
  readonly size: (line: Line) => number;
  readonly facts: ReadonlyMap<Branch, Facts>;
}

/** Branches that lead to a failure take precedence; both kinds stay in order, so that no line loses its parent. */
function firstThatFit(lines: readonly Line[], { room, size, facts }: Room): Line[] {
  const leads = (line: Line) => facts.get(line.shown)?.has_failure === true;
  const kept = new Set<Line>();
  let left = room;
  for (const line of [...lines.filter(leads), ...lines.filter((one) => !leads(one))]) {
    left -= size(line);
    if (left < 0) break;
    kept.add(line);
  }
  return lines.filter((line) => kept.has(line));
}

function factsOf(trees: readonly Branch[]): Map<Branch, Facts> {
  const facts = new Map<Branch, Facts>();
  // Backwards, so that children come before their parents.
  for (const { branch } of [...eachBranch(trees)].toReversed()) {
    const below = branch.children.flatMap((child) => facts.get(child) ?? []);
    facts.set(branch, {
      count: below.reduce((sum, { count }) => sum + count, 1),
      has_failure: isFailed(branch.node) || below.some(({ has_failure }) => has_failure),
      chars: JSON.stringify(branch.node).length,
    });
  }
  return facts;
}

interface Line {
  readonly shown: Branch;
  readonly depth: number;
  /** The branches that the line stands for. */
  readonly of: readonly Branch[];
  /** The branches right below that have lines of their own. */
  readonly below: readonly Branch[];
}

function* linesOf(
  trees: readonly Branch[],
  told: OutlineOptions,
  facts: ReadonlyMap<Branch, Facts>,
): Generator<Line> {
  const isTold = (branch: Branch, depth: number) =>
    depth <= told.depth || (depth <= told.max_depth && facts.get(branch)?.has_failure === true);
  const groups = (siblings: readonly Branch[]) =>
    told.folds ? folded(siblings) : siblings.map((one) => [one]);
  const left = groups(trees)
    .map((of) => ({ of, depth: 0 }))
    .toReversed();
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { of, depth } = next;
    const shown = slowest(of);
    const below = of.length > 1 ? [] : shown.children.filter((child) => isTold(child, depth + 1));
    yield { shown, depth, of, below };
    for (const group of groups(below).toReversed()) left.push({ of: group, depth: depth + 1 });
  }
}

/** Groups similar siblings where they are many, at the place of the first. */
function folded(siblings: readonly Branch[]): (readonly Branch[])[] {
  const alike = Map.groupBy(siblings, ({ node }) =>
    JSON.stringify([node.name, node.run_type, node.status, node.error]),
  );
  const together = [...alike.values()].filter((group) => group.length >= MIN_FOLDED);
  const groupOf = new Map(together.flatMap((group) => group.map((one) => [one, group])));
  return siblings.flatMap((one) => {
    const group = groupOf.get(one);
    if (group === undefined) return [[one]];
    return group[0] === one ? [group] : [];
  });
}

const slowest = (of: readonly Branch[]) =>
  of.reduce((most, one) => ((one.node.latency_s ?? 0) > (most.node.latency_s ?? 0) ? one : most));

function written(
  lines: readonly Line[],
  {
    facts,
    trees,
    ...others
  }: Pick<Outline, 'is_folded' | 'is_cut'> & {
    readonly facts: ReadonlyMap<Branch, Facts>;
    readonly trees: readonly Branch[];
  },
): Outline {
  const count = (branches: readonly Branch[]) =>
    branches.reduce((sum, branch) => sum + (facts.get(branch)?.count ?? 0), 0);
  const nodes = lines.map(({ shown: { node }, depth, of, below }): OutlineNode => {
    const hidden = count(of) - of.length - count(below);
    const marks = hidden > 0 ? { hidden } : {};
    if (of.length === 1) return { depth, ...node, ...marks };
    return {
      depth,
      ...node,
      ...sumOf(of, 'total_tokens'),
      ...sumOf(of, 'total_cost'),
      folded: of.length,
      ...marks,
    };
  });
  const told = lines.reduce((sum, { of }) => sum + of.length, 0);
  return { nodes, left_out: count(trees) - told, ...others };
}

function sumOf(of: readonly Branch[], member: 'total_tokens' | 'total_cost') {
  const sum = of.reduce((total, { node }) => total + (node[member] ?? 0), 0);
  return sum === 0 ? {} : { [member]: round(sum) };
}
