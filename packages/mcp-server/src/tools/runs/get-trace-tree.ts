import { z } from 'zod';
import type { RunQuery } from '@roadstead/contracts/observability';
import { runTypes } from '@roadstead/contracts/run-types';
import { Problem } from '@roadstead/kit';
import { DEFAULT_CHARS } from '../../paging/pagination-rules.ts';
import { MAX_CHARS } from '../../paging/shown-item-rules.ts';
import { written } from '../../paging/text-cut-rules.ts';
import { flag, text, uuid, whole, wholeOrNone, word } from '../input-rules.ts';
import { nextCall, nextOutput } from '../next-call-rules.ts';
import { tool, type ToolContext, type ToolResult } from '../tool.ts';
import { eachPageOfRuns, readRuns } from './run-reader.ts';
import { type Outline, outlineOf } from './trace-outline-rules.ts';
import {
  type Branch,
  eachBranch,
  firstFailures,
  isAsked,
  isFailed,
  narrowed,
  SKELETON,
  skeletonOf,
  type SkeletonRun,
  treesOf,
} from './trace-tree-rules.ts';

const MAX_RUNS = 5000;

const input = z.strictObject({
  trace_id: uuid('Id of the trace, which is its root run’s.'),
  run_id: uuid('Only this run and what is below it; enough without trace_id.'),
  max_depth: wholeOrNone({ min: 0, doc: '0: only the root.' }),
  name: text('Only runs with this in their name, and those above them.'),
  run_type: word(runTypes, 'Only this type.'),
  min_latency_ms: wholeOrNone({ min: 0, doc: 'Only runs that took as long.' }),
  errors_only: flag('Only what failed.'),
  max_chars: whole({
    min: 2000,
    fallback: DEFAULT_CHARS,
    doc: 'Most characters of the answer, up to 30000.',
  }),
});
type Input = z.output<typeof input>;

export const getTraceTree = tool({
  name: 'get_trace_tree',
  title: 'See the steps of a trace',
  access: 'traces:read',
  description:
    'Shows a trace as a tree of its runs, each after the one it is part of (depth): names, times, tokens, costs and errors, no payloads. Begin with it to see where a trace failed or was slow. A large one is condensed: alike siblings stand in one line (folded), runs below are only counted (hidden). Then get_run.',
  input,
  output: {
    trace_id: z.string(),
    run_count: z.int(),
    error_count: z.int(),
    nodes: z.array(
      z.looseObject({ depth: z.int(), id: z.string(), name: z.string(), latency_s: z.number() }).partial(),
    ),
    left_out: z.int(),
    ...nextOutput,
  },
  run: async (given, context) => {
    const trace_id = given.trace_id ?? (await traceOf(given.run_id, context));
    const { runs, has_more } = await readSkeleton(trace_id, context);
    const whole_trees = treesOf(runs);
    const trees = given.run_id === undefined ? whole_trees : below(whole_trees, given.run_id);
    const shown = isNarrowed(given) ? narrowed(trees, (branch) => isAsked(branch, given)) : trees;
    return answer({ given, trace_id, runs, has_more, trees, shown });
  },
});

const isNarrowed = ({ name, run_type, min_latency_ms, errors_only }: Input) =>
  [name, run_type, min_latency_ms].some((one) => one !== undefined) || errors_only === true;

const NO_TRACE = 'Call fetch_runs with is_root=true, or search_runs, for ids of traces.';

async function traceOf(run_id: string | undefined, context: ToolContext): Promise<string> {
  if (run_id === undefined) throw new Problem('invalid', 'trace_id or run_id is needed.', { hint: NO_TRACE });
  const { runs } = await readRuns({ id: [run_id], select: ['id', 'trace_id'], limit: 1 }, context);
  const trace_id = runs[0]?.trace_id;
  if (trace_id === undefined)
    throw new Problem('not_found', 'There is no run with the id in run_id.', { hint: NO_TRACE });
  return trace_id;
}

async function readSkeleton(trace_id: string, context: ToolContext) {
  const query: RunQuery = { trace: trace_id, select: [...SKELETON], order: 'asc' };
  const runs: SkeletonRun[] = [];
  let has_more = false;
  for await (const page of eachPageOfRuns(query, MAX_RUNS, context)) {
    runs.push(...page.runs.map(skeletonOf));
    has_more = page.has_more;
    context.report({ progress: runs.length, message: `Read ${runs.length} runs.` });
  }
  if (runs.length === 0)
    throw new Problem('not_found', 'There is no trace with the id in trace_id.', {
      hint: `${NO_TRACE} The id of a run that is no root goes into run_id.`,
    });
  return { runs, has_more };
}

function below(trees: readonly Branch[], run_id: string): Branch[] {
  for (const { branch } of eachBranch(trees)) if (branch.node.id === run_id) return [branch];
  throw new Problem('not_found', 'The trace has no run with the id in run_id.', {
    hint: 'Leave run_id out to see the runs that it has, or trace_id to see the trace of the run.',
  });
}

interface TraceSelection {
  readonly given: Input;
  readonly trace_id: string;
  readonly runs: readonly SkeletonRun[];
  readonly has_more: boolean;
  readonly trees: readonly Branch[];
  readonly shown: readonly Branch[];
}

/** The room for everything beside the nodes. */
const RESERVED = 900;

function answer({ given, trace_id, runs, has_more, trees, shown }: TraceSelection): ToolResult {
  const chars = Math.min(given.max_chars, MAX_CHARS) - RESERVED;
  const outline = outlineOf(shown, { max_depth: given.max_depth, chars });
  const notes = [
    ...(has_more ? [`The trace has more than ${MAX_RUNS} runs; these are of the first.`] : []),
    ...(shown.length === 0 ? ['No run of it is such; leave out what narrows it down.'] : notesOn(outline)),
  ];
  return {
    trace_id,
    run_count: runs.length,
    error_count: runs.filter(isFailed).length,
    nodes: written(outline.nodes),
    left_out: outline.left_out,
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
    next: nextOf(trees, outline),
  };
}

function notesOn({ is_folded, whole_depth, is_cut, left_out }: Outline): string[] {
  return [
    ...(is_folded ? ['Condensed to fit: alike siblings are folded.'] : []),
    ...(whole_depth === undefined
      ? []
      : [`Below depth ${whole_depth} only what leads to an error is shown.`]),
    ...(is_cut ? ['What comes last is left out.'] : []),
    ...(left_out > 0 ? ['run_id shows what is below a run.'] : []),
  ];
}

const MAX_NEXT = 3;

/** The first failure, else the run with most hidden below it, else the slowest step. */
function nextOf(trees: readonly Branch[], { nodes }: Outline): string[] {
  const failures = firstFailures(trees)
    .slice(0, MAX_NEXT)
    .map(({ id: run_id }) => nextCall('get_run', { run_id }));
  const [most] = nodes.toSorted((one, other) => (other.hidden ?? 0) - (one.hidden ?? 0));
  const deeper = most?.hidden === undefined ? [] : [nextCall('get_trace_tree', { run_id: most.id })];
  if (failures.length + deeper.length > 0) return [...failures, ...deeper];
  const steps = nodes.filter(({ depth }) => depth > 0);
  const [slowest = nodes[0]] = steps.toSorted((one, other) => (other.latency_s ?? 0) - (one.latency_s ?? 0));
  return slowest === undefined ? [] : [nextCall('get_run', { run_id: slowest.id })];
}
