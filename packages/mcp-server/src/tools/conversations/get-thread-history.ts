import {
  hasMessages,
  inOrder,
  MAX_SILENT_TURNS,
  RUNS_BELOW,
  SpeakingRuns,
  speaks,
} from '@roadstead/contracts/messages';
import { z } from 'zod';
import { Problem, TimeSlice } from '@roadstead/kit';
import { isTooLarge } from '../../access/answer-reader.ts';
import { paginate } from '../../paging/pagination-rules.ts';
import { shownItems } from '../../paging/shown-items.ts';
import { ThreadConversation, type Turn } from '../../threads/conversation-rules.ts';
import { pageInputs, requiredText, requiredWhole } from '../input-rules.ts';
import { findProjectIds } from '../runs/project-lookup.ts';
import { linkTo } from '../../addresses/address-rules.ts';
import { unexpectedAnswer } from '../tool-error.ts';
import { pageOutput, tool, type ReadContext, type ToolContext } from '../tool.ts';

/** Each turn holds the whole conversation before it, so few are read at once. */
const TURNS_AT_ONCE = 25;
const MAX_TURNS = 2000;

export const getThreadHistory = tool({
  name: 'get_thread_history',
  title: 'Read a conversation',
  access: 'traces:read',
  description:
    'Reads the messages of one conversation (thread) in order, each once, in pages; read on up to total_pages. The thread of an A2A conversation is its contextId. trace_id of a message goes into fetch_runs to see how it came about.',
  input: z.strictObject({
    thread_id: requiredText('Id of the thread.'),
    project_name: requiredText('Name or id of its project.'),
    page_number: requiredWhole({ min: 1, doc: 'Page, from 1.' }),
    ...pageInputs,
  }),
  output: {
    result: z.array(
      z.looseObject({
        role: z.string(),
        content: z.string(),
        run_id: z.string(),
        trace_id: z.string(),
      }),
    ),
    ...pageOutput,
  },
  run: async (given, context) => {
    const [project_id] = await findProjectIds([given.project_name], context);
    const { conversation, turns, has_more } = await readThread(given.thread_id, project_id, context);
    if (turns === 0)
      throw new Problem('not_found', 'The project has no thread with the id in thread_id.', {
        hint: 'Check thread_id and project_name; fetch_runs with is_root=true shows thread_id of the newest traces.',
      });
    const note = 'The conversation is longer than can be read at once; this is its beginning.';
    const answer = paginate(await shownItems(conversation.messages, given.preview_chars), {
      key: 'result',
      ...given,
      ...(has_more ? { more: { note } } : {}),
    });
    const { project_name: project, thread_id } = given;
    if (answer['truncated_fields'] !== 0) context.link(linkTo('thread', { project, thread_id }));
    return answer;
  },
});

/** The messages of a thread, each once, within the limit of one read. */
export async function readThread(
  thread_id: string,
  project_id: string,
  context: ReadContext & Partial<Pick<ToolContext, 'report'>>,
) {
  const conversation = new ThreadConversation();
  const slice = new TimeSlice();
  let turns = 0;
  let silent = 0;
  let is_cut = false;
  let cursor: string | null = null;
  let page_size = TURNS_AT_ONCE;
  do {
    const thread = { thread_id, project_id, cursor };
    const page = await readTurns(thread, page_size, context);
    for (const turn of page.items) {
      const is_silent = !speaks(turn);
      is_cut = is_silent && silent === MAX_SILENT_TURNS;
      if (is_cut) break;
      if (is_silent) silent += 1;
      for (const run of is_silent ? await speakingRuns(turn, project_id, context) : [turn])
        for (const _pause of conversation.add(run)) if (slice.isOver()) await slice.next();
      if (conversation.isFull) break;
    }
    turns += page.items.length;
    context.report?.({ progress: turns, message: `Read ${turns} turns.` });
    page_size = page.page_size;
    cursor = page.items.length === 0 ? null : page.next_cursor;
  } while (cursor !== null && turns < MAX_TURNS && !conversation.isFull && !is_cut);
  return { conversation, turns, has_more: cursor !== null || conversation.isFull || is_cut };
}

/**
 * The first runs below a turn that have messages, where the turn itself has none; the turn itself where no run has
 * any.
 */
async function speakingRuns(
  turn: Turn,
  project_id: string,
  { api, signal }: ReadContext,
): Promise<readonly Turn[]> {
  const { trace_id } = turn;
  const select = ['dotted_order', 'inputs', 'outputs'];
  const answer = await api
    .queryRuns({
      body: { session: [project_id], trace: trace_id, order: 'asc', limit: RUNS_BELOW + 1, select },
      signal,
    })
    .catch((error: unknown) => {
      if (isTooLarge(error)) return undefined;
      throw error;
    });
  const speaking = new SpeakingRuns();
  // Includes the turn itself.
  const found = inOrder(answer?.runs ?? []).filter((run) => {
    const order = run.dotted_order ?? '';
    if (run.id === trace_id || speaking.isRepeated(order) || !hasMessages(run)) return false;
    speaking.take(order);
    return true;
  });
  return found.length === 0 ? [turn] : found.map(({ inputs, outputs }) => ({ ...turn, inputs, outputs }));
}

interface Thread {
  readonly thread_id: string;
  readonly project_id: string;
  readonly cursor: string | null;
}

const WHOLE = ['TRACE_ID', 'START_TIME', 'INPUTS', 'OUTPUTS'];
const BRIEF = ['TRACE_ID', 'START_TIME', 'INPUTS_PREVIEW', 'OUTPUTS_PREVIEW'];

/** A page of turns; where its answer is too large, a smaller one, and for a single turn its previews. */
async function readTurns(thread: Thread, most: number, context: ReadContext) {
  for (let page_size = most; ; page_size = Math.floor(page_size / 5)) {
    try {
      const page = await askForTurns(thread, { page_size: Math.max(1, page_size), selects: WHOLE }, context);
      return { ...page, page_size };
    } catch (error) {
      if (!isTooLarge(error)) throw error;
    }
    if (page_size > 1) continue;
    const page = await askForTurns(thread, { page_size: 1, selects: BRIEF }, context);
    const items = page.items.map(({ inputs_preview, outputs_preview, ...turn }) => ({
      ...turn,
      inputs: inputs_preview,
      outputs: outputs_preview,
    }));
    return { ...page, items, page_size: 1 };
  }
}

async function askForTurns(
  { thread_id, cursor, ...thread }: Thread,
  page: { readonly page_size: number; readonly selects: readonly string[] },
  { api, signal }: ReadContext,
) {
  const answer: Partial<Awaited<ReturnType<typeof api.listThreadTraces>>> | undefined =
    await api.listThreadTraces({
      params: { thread_id },
      query: { ...thread, ...page, selects: [...page.selects], ...(cursor === null ? {} : { cursor }) },
      signal,
    });
  if (!Array.isArray(answer?.items)) throw unexpectedAnswer();
  return { items: answer.items, next_cursor: answer.next_cursor ?? null };
}
