import { z } from 'zod';
import { Problem } from '@roadstead/kit';
import { paginate } from '../paging/pagination-rules.ts';
import { addTurn, type Conversation, emptyConversation, messagesOf } from '../threads/conversation-rules.ts';
import { pageInputs, requiredText, requiredWhole } from './input-rules.ts';
import { findProjectIds } from './project-lookup.ts';
import { unexpectedAnswer } from './tool-error.ts';
import { pageOutput, tool, type ToolContext } from './tool.ts';

/** Each turn holds all of the conversation before it, so few are read at once. */
const TURNS_AT_ONCE = 25;
const MAX_TURNS = 2000;

export const getThreadHistory = tool({
  name: 'get_thread_history',
  title: 'Read a conversation',
  description:
    'Reads the messages of one conversation (thread) in order, each once, in pages by characters; read page_number 2, 3, … up to total_pages. The thread of an A2A conversation is its contextId. trace_id of a message goes into fetch_runs to see how it came about.',
  input: z.strictObject({
    thread_id: requiredText('Id of the thread.'),
    project_name: requiredText('Name or id of the project that the thread is in.'),
    page_number: requiredWhole({ min: 1, doc: 'Page, from 1.' }),
    ...pageInputs,
  }),
  output: {
    result: z.array(
      z.looseObject({
        role: z.string().describe('user, assistant, tool or system'),
        content: z.string(),
        name: z.string().optional(),
        tool_calls: z
          .array(z.looseObject({ id: z.string().optional(), name: z.string(), args: z.unknown() }))
          .optional(),
        run_id: z.string(),
        trace_id: z.string(),
        start_time: z.string().nullable().describe('When the turn began.'),
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
    const note = `The conversation has more than ${MAX_TURNS} turns; these are the first ones.`;
    return paginate(messagesOf(conversation), {
      key: 'result',
      ...given,
      ...(has_more ? { more: { note } } : {}),
    });
  },
});

async function readThread(thread_id: string, project_id: string, { api, signal }: ToolContext) {
  let conversation: Conversation = emptyConversation;
  let turns = 0;
  let cursor: string | null = null;
  do {
    const page: Partial<Awaited<ReturnType<typeof api.listThreadTraces>>> | undefined =
      await api.listThreadTraces({
        params: { thread_id },
        query: {
          project_id,
          selects: ['TRACE_ID', 'START_TIME', 'INPUTS', 'OUTPUTS'],
          page_size: TURNS_AT_ONCE,
          ...(cursor === null ? {} : { cursor }),
        },
        signal,
      });
    if (!Array.isArray(page?.items)) throw unexpectedAnswer();
    conversation = page.items.reduce(addTurn, conversation);
    turns += page.items.length;
    cursor = page.items.length === 0 ? null : (page.next_cursor ?? null);
  } while (cursor !== null && turns < MAX_TURNS);
  return { conversation, turns, has_more: cursor !== null };
}
