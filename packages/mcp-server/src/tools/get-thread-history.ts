import { z } from 'zod';
import type { ThreadTrace } from '@roadstead/contracts';
import { needed, pageInputs, whole } from '../inputs.ts';
import { paginate } from '../paging/pagination-rules.ts';
import { ToolProblem } from '../tool-problem.ts';
import { projectIds } from './projects.ts';
import { threadMessages } from './thread-messages-rules.ts';
import { tool } from './tool.ts';

const MAX_TURNS = 2000;

export const getThreadHistory = tool({
  name: 'get_thread_history',
  title: 'Read a conversation',
  description:
    'The messages of one conversation (thread) in order, in pages by characters; ask for page_number 2, 3, … up to total_pages. For an A2A conversation the thread id is its contextId.',
  input: z.object({
    thread_id: needed('Id of the thread.'),
    project_name: needed('Name or id of the project.'),
    page_number: whole('Page, from 1.', { min: 1, fallback: 1 }),
    ...pageInputs,
  }),
  output: z
    .object({
      result: z.array(z.looseObject({ role: z.string() })),
      page_number: z.number(),
      total_pages: z.number(),
    })
    .loose(),
  run: async (given, api) => {
    const [project_id = ''] = await projectIds(api, [given.project_name]);
    const turns: ThreadTrace[] = [];
    let cursor: string | null = null;
    do {
      const page = await api.listThreadTraces({
        params: { thread_id: given.thread_id },
        query: {
          project_id,
          selects: ['TRACE_ID', 'START_TIME', 'INPUTS', 'OUTPUTS'],
          page_size: 100,
          ...(cursor === null ? {} : { cursor }),
        },
      });
      turns.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null && turns.length < MAX_TURNS);
    if (turns.length === 0)
      throw new ToolProblem(
        'not_found',
        'There is no such thread in this project.',
        'Check thread_id and project_name; a trace is readable a second or two after its answer.',
      );
    return paginate(threadMessages(turns), { key: 'result', ...given });
  },
});
