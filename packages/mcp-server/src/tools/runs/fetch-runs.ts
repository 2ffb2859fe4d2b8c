import { z } from 'zod';
import type { Run, RunQuery } from '@roadstead/contracts/observability';
import { Problem, TimeSlice } from '@roadstead/kit';
import { batch, couldFit, paginate } from '../../paging/pagination-rules.ts';
import { shown, type ShownItem } from '../../paging/shown-item-rules.ts';
import { filterFault } from '../filter-fault.ts';
import { flagOr, pageInputs, requiredWhole, text, uuid, whole, word } from '../input-rules.ts';
import { linkTo } from '../../addresses/address-rules.ts';
import { findProjectIds } from './project-lookup.ts';
import { MAX_FILTER, queryInputs, queryOf } from './query-input-rules.ts';
import { readRuns } from './run-reader.ts';
import { pageOutput, tool, type ToolContext, type ToolResult } from '../tool.ts';

/** The API's limit for one call. */
const MAX_BATCH = 100;
/** A page rarely holds more; the others are read only where there is room for them. */
const FIRST_OF_BATCH = 30;
/** A trace is read whole, so that its pages are consistent; one with more runs has to be narrowed. */
const MAX_TRACE_RUNS = 2000;
const MAX_TRACE_CHARS = 30_000_000;

const languages = ['filter', 'trace_filter', 'tree_filter'] as const;

const input = z.strictObject({
  ...queryInputs,
  limit: requiredWhole({ min: 1, doc: 'Most runs: up to 100, with trace_id up to 2000.' }),
  page_number: whole({ min: 1, fallback: 1, doc: 'With trace_id.' }),
  trace_id: uuid('Only runs of this trace, in their order.'),
  trace_filter: text('The same as filter, of the trace’s root.', MAX_FILTER),
  tree_filter: text('The same, of any run of the trace.', MAX_FILTER),
  order_by: word(['-start_time', 'start_time'], 'Newest first is the default. Without trace_id.'),
  order: word(['desc', 'asc'], 'The same as order_by.'),
  reference_example_id: uuid('Only experiments’ runs on this example.'),
  include_invocation_params: flagOr(false, 'Show extra.invocation_params.'),
  ...pageInputs,
});
type Input = z.output<typeof input>;

export const fetchRuns = tool({
  name: 'fetch_runs',
  title: 'Fetch runs',
  access: 'traces:read',
  description:
    'Reads runs, the steps that traces are made of. Without trace_id: one batch, newest first; is_root=true gives one run a trace, error=true what failed. With trace_id: the runs of that trace in order, in pages; read on up to total_pages.',
  input,
  output: {
    runs: z.array(z.looseObject({ id: z.string() })),
    has_more: z.boolean(),
    ...pageOutput,
  },
  run: async (given, context) => {
    const order = orderOf(given);
    const session = await findProjectIds(given.project_name, context);
    const query = { ...filtersOf(given), session };
    const read =
      given.trace_id === undefined
        ? readBatch(given, { ...query, order }, context)
        : readTrace(given, { ...query, trace: given.trace_id, order: 'asc' }, context);
    const answer = await read.catch((error: unknown) => {
      throw languages.some((name) => given[name] !== undefined) ? filterFault(error) : error;
    });
    linkCut(answer, context);
    return answer;
  },
});

const CUT = / \(\+\d+ chars\)"/;

/** Links to the runs that the answer doesn’t show whole. */
function linkCut({ truncated_fields, runs }: ToolResult, { link }: ToolContext): void {
  if (truncated_fields === 0 || !Array.isArray(runs)) return;
  for (const run of runs as readonly { readonly id?: unknown }[])
    if (typeof run.id === 'string' && CUT.test(JSON.stringify(run))) link(linkTo('run', { run_id: run.id }));
}

function orderOf({ order, order_by }: Input): 'asc' | 'desc' {
  const by = order_by === undefined ? undefined : order_by === 'start_time' ? 'asc' : 'desc';
  if (order !== undefined && by !== undefined && order !== by)
    throw new Problem('invalid', 'order and order_by say the opposite of each other.', {
      hint: 'Give one of them.',
    });
  return order ?? by ?? 'desc';
}

function filtersOf({ trace_filter, tree_filter, reference_example_id, ...given }: Input): RunQuery {
  return {
    ...queryOf(given),
    ...(trace_filter === undefined ? {} : { trace_filter }),
    ...(tree_filter === undefined ? {} : { tree_filter }),
    ...(reference_example_id === undefined ? {} : { reference_example: [reference_example_id] }),
  };
}

const WHEN_CUT = 'get_run shows a run whole, and any value in it by its path.';

async function readBatch(given: Input, query: RunQuery, context: ToolContext): Promise<ToolResult> {
  const { found, has_more } = await readShown(
    query,
    { ...given, most: Math.min(given.limit, MAX_BATCH), max_chars: given.max_chars_per_page },
    context,
  );
  const runs = found.map(({ item }) => item);
  const note = `There are ${query.order === 'asc' ? 'later runs: call again with min_start_time' : 'earlier runs: call again with max_start_time'} at the start_time of the last one.`;
  const more = has_more ? { has_more, note } : { has_more };
  return batch(runs, { key: 'runs', ...given, more, when_cut: WHEN_CUT });
}

async function readTrace(given: Input, query: RunQuery, context: ToolContext): Promise<ToolResult> {
  const most = Math.min(given.limit, MAX_TRACE_RUNS);
  const { found, has_more } = await readShown(query, { ...given, most }, context);
  if (found.length === 0) await requireTrace(query, context);
  // Immutable, and the order of the tree: a run comes after its parent and before its younger siblings.
  found.sort((one, other) => (one.order < other.order ? -1 : one.order > other.order ? 1 : 0));
  const runs = found.map(({ item }) => item);
  return paginate(runs, { key: 'runs', ...given, more: { has_more }, when_cut: WHEN_CUT });
}

interface FoundRun {
  readonly order: string;
  readonly item: ShownItem;
}

interface PageLimits extends Pick<Input, 'preview_chars' | 'include_invocation_params'> {
  readonly most: number;
  /** The room of the one page that all have to fit into. */
  readonly max_chars?: number;
}

/** Runs are cut as they come, so that a trace of large payloads is never whole in memory. */
async function readShown(
  query: RunQuery,
  { most, max_chars, preview_chars, include_invocation_params }: PageLimits,
  context: ToolContext,
): Promise<{ found: FoundRun[]; has_more: boolean }> {
  const slice = new TimeSlice();
  const found: FoundRun[] = [];
  let chars = 0;
  let cursor: string | null = null;
  let at_once = MAX_BATCH;
  let first = max_chars === undefined ? MAX_BATCH : FIRST_OF_BATCH;
  do {
    const limit = Math.min(most - found.length, at_once, first);
    const read = await readRuns({ ...query, limit, ...(cursor === null ? {} : { cursor }) }, context);
    for (const run of read.runs) {
      const told = include_invocation_params ? run : withoutInvocation(run);
      const item = shown(withoutAbsent(told), preview_chars);
      found.push({ order: run.dotted_order ?? '', item });
      chars += item.size;
      if (slice.isOver()) await slice.next();
    }
    context.report({ progress: found.length, message: `Read ${found.length} runs.` });
    if (read.limit < limit) at_once = read.limit;
    first = MAX_BATCH;
    cursor = read.runs.length === 0 ? null : read.next;
  } while (cursor !== null && found.length < most && chars < MAX_TRACE_CHARS && hasRoom(found, max_chars));
  return { found, has_more: cursor !== null };
}

const hasRoom = (found: readonly FoundRun[], max_chars: number | undefined) =>
  max_chars === undefined ||
  couldFit(
    found.map(({ item }) => item),
    max_chars,
  );

/** An empty result of the filters is an answer; a missing trace is an error. */
async function requireTrace({ trace, session }: RunQuery, context: ToolContext): Promise<void> {
  const { runs } = await readRuns({ trace, session, select: ['id'], limit: 1 }, context);
  if (runs.length > 0) return;
  throw new Problem('not_found', 'These projects have no trace with the id in trace_id.', {
    hint: 'Call fetch_runs with is_root=true and without trace_id to see the newest traces.',
  });
}

/** Null members carry no more information than absent ones, and take a third of a page. */
function withoutAbsent(run: Run): Record<string, unknown> {
  return Object.fromEntries(Object.entries(run).filter(([, value]) => value !== null && value !== undefined));
}

/** Drops the parameters of a model and the schemas of its tools, which are the same in run after run. */
function withoutInvocation(run: Run): Run {
  const { extra } = run;
  if (typeof extra !== 'object' || extra === null || !('invocation_params' in extra)) return run;
  return { ...run, extra: { ...extra, invocation_params: LEFT_OUT } };
}
const LEFT_OUT = '(left out; include_invocation_params shows them)';
