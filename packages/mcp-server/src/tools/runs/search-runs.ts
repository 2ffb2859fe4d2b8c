import { z } from 'zod';
import { ApiError } from '@roadstead/contracts';
import type { Run, RunQuery } from '@roadstead/contracts/observability';
import { TimeSlice } from '@roadstead/kit';
import { batch, DEFAULT_CHARS } from '../../paging/pagination-rules.ts';
import { shownItems } from '../../paging/shown-items.ts';
import { filterFault } from '../filter-fault.ts';
import { requiredText, text, whole } from '../input-rules.ts';
import { nextCall, nextOutput } from '../next-call-rules.ts';
import { tool, type ToolContext } from '../tool.ts';
import { matchesIn } from './match-rules.ts';
import { findProjectIds } from './project-lookup.ts';
import { allOf, literal, queryInputs, queryOf } from './query-input-rules.ts';
import { readRuns } from './run-reader.ts';
import { errorLine, latencyOf, withoutEmpty } from './run-summary-rules.ts';

const MAX_HITS = 20;
const MATCHES = 2;

const input = z.strictObject({
  query: requiredText('Words; each must begin a word of the run.'),
  ...queryInputs,
  limit: whole({ min: 1, fallback: 10, doc: 'Up to 20.' }),
  cursor: text('next_cursor of the answer before.', 20_000),
});

export const searchRuns = tool({
  name: 'search_runs',
  title: 'Search in runs',
  access: 'traces:read',
  description:
    'Finds runs by words in their inputs, outputs, errors, names, tags or metadata, newest first, and shows where the words stand. matches.path goes with id into get_run to read that text whole; trace_id into get_trace_tree.',
  input,
  output: {
    hits: z.array(
      z.looseObject({
        id: z.string(),
        trace_id: z.string(),
        matches: z.array(z.looseObject({ path: z.string(), text: z.string() })),
      }),
    ),
    has_more: z.boolean(),
    next_cursor: z.string(),
    ...nextOutput,
  },
  run: async (given, context) => {
    const session = await findProjectIds(given.project_name, context);
    const query = { ...queryOf(given), session };
    const search = `search(${literal(given.query)})`;
    const asked = {
      ...query,
      filter: allOf([search, given.filter]) ?? search,
      select: [...SELECT],
      limit: Math.min(given.limit, MAX_HITS),
      ...(given.cursor === undefined ? {} : { cursor: given.cursor }),
    };
    const { runs, next } = await readRuns(asked, context).catch(async (error: unknown) => {
      throw given.filter === undefined ? error : await faultOf(error, query, context);
    });
    const hits = await hitsIn(runs, given.query);
    const [first] = hits;
    const calls =
      first === undefined
        ? []
        : [
            nextCall('get_trace_tree', { trace_id: first.trace_id }),
            nextCall('get_run', { run_id: first.id, path: first.matches[0]?.path }),
          ];
    const page = batch(await shownItems(hits, 0), {
      key: 'hits',
      page_number: 1,
      max_chars_per_page: DEFAULT_CHARS,
      preview_chars: 0,
      more: {
        has_more: next !== null,
        ...(next === null ? {} : { next_cursor: next }),
        ...(first === undefined ? { note: NOTHING } : {}),
        next: calls,
      },
    });
    const { page_number: _, total_pages: _1, max_chars_per_page: _2, preview_chars: _3, ...answer } = page;
    return answer;
  },
});

const NOTHING =
  'Nothing was found. Try fewer words or their beginnings, another project or a longer time; get_run_stats shows whether there are such runs at all.';

const SELECT = [
  'id',
  'trace_id',
  'name',
  'run_type',
  'status',
  'start_time',
  'end_time',
  'error',
  'thread_id',
  'tags',
  'extra',
  'inputs',
  'outputs',
] as const;

/** The position of a fault, counted in the given filter and not in the one that was sent. */
async function faultOf(error: unknown, query: RunQuery, context: ToolContext): Promise<unknown> {
  if (!(error instanceof ApiError)) return error;
  return readRuns({ ...query, select: ['id'], limit: 1 }, context).then(() => error, filterFault);
}

interface Hit extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly trace_id: string | undefined;
  readonly matches: ReturnType<typeof matchesIn>;
}

async function hitsIn(runs: readonly Run[], query: string): Promise<Hit[]> {
  const slice = new TimeSlice();
  const hits: Hit[] = [];
  for (const run of runs) {
    hits.push(hitOf(run, query));
    if (slice.isOver()) await slice.next();
  }
  return hits;
}

function hitOf(run: Run, query: string): Hit {
  const { id, trace_id, name, run_type, status, start_time, thread_id, error, inputs, outputs, tags, extra } =
    run;
  const { metadata } = (extra ?? {}) as { readonly metadata?: unknown };
  const searched = { error, outputs, inputs, name, tags, extra: { metadata } };
  return {
    id,
    trace_id,
    ...withoutEmpty({
      name,
      run_type,
      status,
      start_time,
      latency_s: latencyOf(run),
      thread_id,
      error: errorLine(error),
    }),
    matches: matchesIn(searched, { query, most: MATCHES }),
  };
}
