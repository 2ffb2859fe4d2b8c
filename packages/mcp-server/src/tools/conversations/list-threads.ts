import { z } from 'zod';
import { Problem } from '@roadstead/kit';
import { batch, DEFAULT_CHARS } from '../../paging/pagination-rules.ts';
import { kept } from '../../paging/text-cut-rules.ts';
import { shownItems } from '../../paging/shown-items.ts';
import { filterFault } from '../filter-fault.ts';
import { instant, requiredText, text, whole } from '../input-rules.ts';
import { nextCall, nextOutput } from '../next-call-rules.ts';
import { findProjectIds } from '../runs/project-lookup.ts';
import { errorLine, feedbackFigures, numberOf, withoutEmpty } from '../runs/run-summary-rules.ts';
import { unexpectedAnswer } from '../tool-error.ts';
import { tool, type ToolContext, type ToolResult } from '../tool.ts';

const MAX_THREADS = 100;
const DAYS = 7;
const DAY_MS = 86_400_000;
const PREVIEW = 150;

export const listThreads = tool({
  name: 'list_threads',
  title: 'List conversations',
  access: 'traces:read',
  description:
    'Lists the conversations (threads) of a project, the most recently active first: turns, errors, time, tokens, costs, how each began and ended. thread_id goes into get_thread_history, last_trace_id into get_trace_tree.',
  input: z.strictObject({
    project_name: requiredText('Name or id of the project.'),
    filter: text(
      'Filter language; a thread is found when one of its turns passes: eq(status, "error").',
      20_000,
    ),
    min_start_time: instant('ISO 8601; 7 days ago unless said.'),
    max_start_time: instant('ISO 8601.'),
    limit: whole({ min: 1, fallback: 20, doc: 'Up to 100.' }),
    cursor: text('next_cursor of the answer before.', 20_000),
  }),
  output: {
    threads: z.array(z.looseObject({ thread_id: z.string(), count: z.int() })),
    has_more: z.boolean(),
    next_cursor: z.string(),
    ...nextOutput,
  },
  run: async (given, context) => {
    const [project_id] = await findProjectIds([given.project_name], context);
    const place = given.cursor === undefined ? rangeOf(given) : readPlace(given.cursor);
    const asked = { ...given, ...place, project_id };
    const most = Math.min(given.limit, MAX_THREADS);
    const page = await pageOf(asked, most, context);
    const shown = (page['threads'] as readonly unknown[]).length;
    // The next page begins after the last one that is shown.
    return page['_truncated'] === true && shown > 0 ? pageOf(asked, shown, context) : page;
  },
});

interface ThreadListQuery extends ListCursor {
  readonly project_name: string;
  readonly project_id: string;
  readonly filter?: string | undefined;
}

async function pageOf(
  asked: ThreadListQuery,
  page_size: number,
  { api, signal }: ToolContext,
): Promise<ToolResult> {
  const { project_name, project_id, filter, cursor, min_start_time, max_start_time } = asked;
  const range = { min_start_time, max_start_time };
  const answer: unknown = await api
    .queryThreads({
      body: {
        project_id,
        ...range,
        page_size,
        ...(filter === undefined ? {} : { filter }),
        ...(cursor === undefined ? {} : { cursor }),
      },
      signal,
    })
    .catch((error: unknown) => {
      throw filter === undefined ? error : filterFault(error);
    });
  const { items, next_cursor } = (answer ?? {}) as { items?: unknown; next_cursor?: string | null };
  if (!Array.isArray(items)) throw unexpectedAnswer();
  const read = items as readonly Thread[];
  const threads = read.map(threadRecord);
  const [first] = read;
  const next = first === undefined ? [] : [historyOf(first['thread_id'], project_name)];
  const going =
    typeof next_cursor === 'string' ? { next_cursor: placeText({ ...range, cursor: next_cursor }) } : {};
  const page = batch(await shownItems(threads, PREVIEW), {
    key: 'threads',
    page_number: 1,
    max_chars_per_page: DEFAULT_CHARS,
    preview_chars: PREVIEW,
    more: {
      has_more: typeof next_cursor === 'string',
      ...going,
      ...(first === undefined ? { note: NOTHING } : {}),
      next,
    },
  });
  const { page_number: _, total_pages: _1, max_chars_per_page: _2, preview_chars: _3, ...shown } = page;
  return shown;
}

/** Where a list continues, and its time range, so that its pages are consistent while conversations go on. */
interface ListCursor {
  readonly min_start_time: string;
  readonly max_start_time: string;
  readonly cursor?: string | undefined;
}

interface Range {
  readonly min_start_time?: string | undefined;
  readonly max_start_time?: string | undefined;
}

function rangeOf(given: Range): ListCursor {
  const now = Date.now();
  const min_start_time = given.min_start_time ?? new Date(now - DAYS * DAY_MS).toISOString();
  return { min_start_time, max_start_time: given.max_start_time ?? new Date(now).toISOString() };
}

const placeText = ({ min_start_time, max_start_time, cursor = '' }: ListCursor) =>
  [min_start_time, max_start_time, cursor].join(' ');

function readPlace(text: string): ListCursor {
  const [min_start_time = '', max_start_time = '', ...rest] = text.split(' ');
  const cursor = rest.join(' ');
  if (cursor !== '' && [min_start_time, max_start_time].every((at) => Number.isFinite(Date.parse(at))))
    return { min_start_time, max_start_time, cursor };
  throw new Problem('invalid', 'cursor is none that list_threads gave.', {
    hint: 'Give next_cursor of the answer before as it is, or leave cursor out.',
  });
}

const NOTHING = 'No conversation had a turn in this time; give an earlier min_start_time.';

const historyOf = (thread_id: unknown, project_name: string) =>
  nextCall('get_thread_history', { thread_id, project_name, page_number: 1 });

type Thread = Readonly<Record<string, unknown>>;

function threadRecord(thread: Thread): Record<string, unknown> {
  const { thread_id, num_errored_turns: errors, last_error, total_cost, feedback_stats } = thread;
  return withoutEmpty({
    thread_id: typeof thread_id === 'string' ? kept(thread_id) : thread_id,
    count: thread['count'],
    ...(numberOf(errors) > 0 ? { num_errored_turns: errors } : {}),
    min_start_time: thread['min_start_time'],
    max_start_time: thread['max_start_time'],
    latency_p50: thread['latency_p50'],
    latency_p99: thread['latency_p99'],
    total_tokens: thread['total_tokens'],
    total_cost: total_cost === null || total_cost === undefined ? null : numberOf(total_cost),
    last_error: typeof last_error === 'string' ? errorLine(last_error) : null,
    first_inputs: thread['first_inputs'],
    last_outputs: thread['last_outputs'],
    feedback_stats: feedbackFigures(feedback_stats),
    last_trace_id: thread['last_trace_id'],
  });
}
