import { MAX_SILENT_TURNS } from '@roadstead/contracts/messages';
import { expect, it } from 'vitest';
import type { ReadContext } from '../tool.ts';
import { readThread } from './get-thread-history.ts';

/** A thread of many turns without messages, each with one call below it; counts the calls of the API. */
function threadOf(count: number) {
  const asked = { turns: 0, below: 0 };
  const api = {
    listThreadTraces: async ({ query }: { query: { cursor?: string; page_size: number } }) => {
      asked.turns += 1;
      const from = Number(query.cursor ?? 0);
      const to = Math.min(count, from + query.page_size);
      const items = Array.from({ length: to - from }, (_, at) => ({ trace_id: `t${from + at}`, inputs: {} }));
      return Promise.resolve({ items, next_cursor: to < count ? String(to) : null });
    },
    queryRuns: async ({ body }: { body: { trace: string } }) => {
      asked.below += 1;
      const messages = [{ role: 'user', content: `question of ${body.trace}` }];
      return Promise.resolve({ runs: [{ id: 'call', dotted_order: 'a.b', inputs: { messages } }] });
    },
  };
  const context = { api, signal: new AbortController().signal } as unknown as ReadContext;
  return { asked, read: async () => readThread('thread', 'project', context) };
}

it.each([
  ['as many as one answer may cost', MAX_SILENT_TURNS, MAX_SILENT_TURNS, false],
  ['one more', MAX_SILENT_TURNS + 1, MAX_SILENT_TURNS, true],
  ['thousands', 3000, MAX_SILENT_TURNS, true],
])(
  'when a thread has %s of turns without messages, then it ends in time',
  async (_what, count, read, more) => {
    const thread = threadOf(count);
    const { conversation, has_more } = await thread.read();
    expect(conversation.messages).toHaveLength(read);
    expect([thread.asked.below, has_more]).toEqual([read, more]);
    expect(thread.asked.turns).toBeLessThan(10);
  },
);
