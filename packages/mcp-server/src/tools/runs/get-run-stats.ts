import { z } from 'zod';
import type { RunQuery, RunStats } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';
import { batch, DEFAULT_CHARS } from '../../paging/pagination-rules.ts';
import { shownItems } from '../../paging/shown-items.ts';
import { filterFault } from '../filter-fault.ts';
import { text, whole, word } from '../input-rules.ts';
import { recordAnswer } from '../list-answers.ts';
import { nextCall, nextOutput } from '../next-call-rules.ts';
import { unexpectedAnswer } from '../tool-error.ts';
import { tool, type ToolContext, type ToolResult } from '../tool.ts';
import { findProjectIds } from './project-lookup.ts';
import { allOf, askedAs, literal, queryInputs, queryOf } from './query-input-rules.ts';
import { feedbackFigures, numberOf, round, withoutEmpty } from './run-summary-rules.ts';

const attributes = ['name', 'run_type', 'tag', 'metadata'] as const;
const MAX_GROUPS = 100;

const input = z.strictObject({
  ...queryInputs,
  group_by: word(attributes, 'What to group by.'),
  metadata_key: text('With group_by metadata.'),
  limit: whole({ min: 1, fallback: 10, doc: 'Groups: up to 100.' }),
});
type Input = z.output<typeof input>;

export const getRunStats = tool({
  name: 'get_run_stats',
  title: 'Sum up runs',
  access: 'traces:read',
  description:
    'Sums up the runs that filters find: how many, share of errors, latency (s), tokens, costs, feedback; as a whole or by group. Call it for how much, how often or which kind fails, in place of reading runs. is_root=true counts traces. To compare two times, call it once for each.',
  input,
  output: {
    stats: z.looseObject({ run_count: z.int(), error_rate: z.number() }),
    groups: z.array(z.looseObject({ group: z.string(), run_count: z.int(), error_rate: z.number() })),
    has_more: z.boolean(),
    ...nextOutput,
  },
  run: async (given, context) => {
    if ((given.group_by === 'metadata') !== (given.metadata_key !== undefined))
      throw new Problem('invalid', 'metadata_key and group_by=metadata belong together.', {
        hint: 'Give both, or neither.',
      });
    const session = await findProjectIds(given.project_name, context);
    const query = { ...queryOf(given), session };
    return given.group_by === undefined
      ? sumOf(given, await readStats(query, context))
      : groupsOf(given, await readGroups(query, given, context));
  },
});

const STATS = [
  'run_count',
  'error_rate',
  'latency_p50',
  'latency_p99',
  'latency_avg',
  'first_token_p50',
  'first_token_p99',
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
  'prompt_cost',
  'completion_cost',
  'streaming_rate',
  'last_run_start_time',
  'feedback_stats',
] as const;

async function ask(body: RunQuery & object, { api, signal }: ToolContext): Promise<object> {
  const answer: unknown = await api
    .readRunStats({ body: { ...body, select: [...STATS] }, signal })
    .catch((error: unknown) => {
      throw body.filter === undefined ? error : filterFault(error);
    });
  if (typeof answer !== 'object' || answer === null) throw unexpectedAnswer();
  return answer;
}

const readStats = async (query: RunQuery, context: ToolContext) => figuresOf(await ask(query, context));

interface Group {
  readonly group: string;
  readonly run_count?: unknown;
  readonly error_rate?: unknown;
}

async function readGroups(query: RunQuery, { group_by, metadata_key, limit }: Input, context: ToolContext) {
  // One more than is shown, to learn whether there are more.
  const max_groups = Math.min(limit, MAX_GROUPS) + 1;
  const grouping = {
    attribute: group_by,
    ...(metadata_key === undefined ? {} : { path: metadata_key }),
    max_groups,
  };
  const answer = await ask({ ...query, group_by: grouping } as RunQuery, context);
  const groups = Object.entries(answer).map(([group, stats]: [string, unknown]): Group => {
    // A server without grouping answers the figures of all runs.
    if (typeof stats !== 'object' || stats === null) throw unexpectedAnswer();
    return { group, ...figuresOf(stats) };
  });
  groups.sort((one, other) => numberOf(other.run_count) - numberOf(one.run_count));
  return { groups: groups.slice(0, max_groups - 1), has_more: groups.length >= max_groups };
}

/** Other servers answer more than was selected. */
function figuresOf(stats: RunStats): Record<string, unknown> {
  const { feedback_stats } = stats;
  const figures = Object.fromEntries(STATS.map((name) => [name, rounded(stats[name])]));
  return withoutEmpty({ ...figures, feedback_stats: feedbackFigures(feedback_stats) });
}

const rounded = (value: unknown) => (typeof value === 'number' ? round(value) : value);

async function sumOf(given: Input, stats: Record<string, unknown>): Promise<ToolResult> {
  const asked = askedAs(given.project_name, given);
  const failed = numberOf(stats['error_rate']) > 0;
  const next = failed
    ? [
        // Counts all runs, since a trace fails by one of its steps.
        nextCall('get_run_stats', { ...asked, is_root: undefined, error: true, group_by: 'name' }),
        nextCall('fetch_runs', { ...asked, error: true, limit: 5 }),
      ]
    : [nextCall('get_run_stats', { ...asked, group_by: 'name' })];
  return recordAnswer(stats, { key: 'stats', more: { next } });
}

async function groupsOf(
  given: Input,
  { groups, has_more }: { readonly groups: readonly Group[]; readonly has_more: boolean },
): Promise<ToolResult> {
  const failures = ({ run_count, error_rate }: Group) => numberOf(run_count) * numberOf(error_rate);
  const [worst] = groups.toSorted((one, other) => failures(other) - failures(one));
  const next = worst !== undefined && failures(worst) > 0 ? [failuresOf(worst.group, given)] : [];
  const page = batch(await shownItems(groups, 200), {
    key: 'groups',
    page_number: 1,
    max_chars_per_page: DEFAULT_CHARS,
    preview_chars: 200,
    more: { has_more, next },
  });
  const { page_number: _, total_pages: _1, max_chars_per_page: _2, preview_chars: _3, ...answer } = page;
  return answer;
}

/** A call that reads the failed runs of a group. */
function failuresOf(group: string, given: Input): string {
  const asked = askedAs(given.project_name, given);
  const isType = given.group_by === 'run_type';
  const filter = isType ? given.filter : allOf([groupFilter(group, given), given.filter]);
  return nextCall('fetch_runs', {
    ...asked,
    ...(isType ? { run_type: group } : {}),
    filter,
    error: true,
    limit: 5,
  });
}

function groupFilter(group: string, { group_by, metadata_key = '' }: Input): string {
  if (group_by === 'tag') return `has(tags, ${literal(group)})`;
  if (group_by === 'name') return `eq(name, ${literal(group)})`;
  return `and(eq(metadata_key, ${literal(metadata_key)}), eq(metadata_value, ${literal(group)}))`;
}
