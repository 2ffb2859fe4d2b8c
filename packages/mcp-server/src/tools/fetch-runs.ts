import { z } from 'zod';
import { type Client, type Observability, type Run, RunType } from '@roadstead/contracts';
import { flag, namesOf, pageInputs, text, whole } from '../inputs.ts';
import { paginate, singlePage } from '../paging/pagination-rules.ts';
import { ToolProblem } from '../tool-problem.ts';
import { projectIds } from './projects.ts';
import { tool } from './tool.ts';

const input = z.object({
  project_name: z
    .preprocess((value) => (Array.isArray(value) ? JSON.stringify(value) : value), z.string().min(1))
    .describe('Project name or id; several as a JSON array of names.'),
  limit: whole('How many runs at most (at most 100).', { min: 1, fallback: 50 }),
  page_number: whole('Page of a trace’s runs, from 1.', { min: 1, fallback: 1 }),
  trace_id: text('All runs of this trace, character-paginated.'),
  run_type: text('tool, chain, llm, retriever, embedding, prompt or parser.'),
  error: flag('Only runs with an error, or only those without.'),
  is_root: flag('Only root runs, or only their children.'),
  filter: text('The filter language is not built yet.'),
  trace_filter: text('The filter language is not built yet.'),
  tree_filter: text('The filter language is not built yet.'),
  order_by: text('"-start_time" (newest first) or "start_time".'),
  reference_example_id: text('Only runs of experiments for this example.'),
  min_start_time: text('Only runs that began at or after this time (ISO 8601).'),
  max_start_time: text('Only runs that began before this time (ISO 8601).'),
  ...pageInputs,
});
type Input = z.output<typeof input>;

export const fetchRuns = tool({
  name: 'fetch_runs',
  title: 'Fetch runs',
  description:
    'Fetches runs (spans) of one or more projects. Without trace_id: the newest runs, in one batch. With trace_id: every run of that trace in order, in pages; ask for page_number 2, 3, … up to total_pages.',
  input,
  output: z
    .object({ runs: z.array(z.looseObject({})), page_number: z.number(), total_pages: z.number() })
    .loose(),
  run: async (given, api) => {
    const filters = (['filter', 'trace_filter', 'tree_filter'] as const).find(
      (name) => given[name] !== undefined,
    );
    if (filters !== undefined)
      throw new ToolProblem(
        'not_implemented',
        `${filters} is not built yet.`,
        'Use run_type, error, is_root and the time bounds instead.',
      );
    const limit = Math.min(given.limit, 100);
    const session = await projectIds(api, namesOf(given.project_name));
    const runs = await query(api, given, session, limit);
    const page = {
      key: 'runs',
      max_chars_per_page: given.max_chars_per_page,
      preview_chars: given.preview_chars,
    };
    if (given.trace_id === undefined) return singlePage(runs, page);
    const ordered = runs.toSorted((one, other) =>
      (one.dotted_order ?? '') < (other.dotted_order ?? '') ? -1 : 1,
    );
    return paginate(ordered, { ...page, page_number: given.page_number });
  },
});

async function query(
  api: Client<Observability>,
  given: Input,
  session: readonly string[],
  limit: number,
): Promise<Run[]> {
  const run_type = given.run_type === undefined ? undefined : RunType.safeParse(given.run_type.toLowerCase());
  if (run_type?.success === false)
    throw new ToolProblem(
      'invalid_input',
      'run_type is not one of the run types.',
      `It is one of ${RunType.options.join(', ')}.`,
    );
  const { runs } = await api.queryRuns({
    body: {
      session: [...session],
      limit,
      order: given.order_by === 'start_time' ? 'asc' : 'desc',
      ...(given.trace_id === undefined ? {} : { trace: given.trace_id }),
      ...(run_type === undefined ? {} : { run_type: run_type.data }),
      ...(given.error === undefined ? {} : { error: given.error }),
      ...(given.is_root === undefined ? {} : { is_root: given.is_root }),
      ...(given.reference_example_id === undefined
        ? {}
        : { reference_example: [given.reference_example_id] }),
      ...(given.min_start_time === undefined ? {} : { start_time: given.min_start_time }),
      ...(given.max_start_time === undefined ? {} : { end_time: given.max_start_time }),
    },
  });
  return runs;
}
