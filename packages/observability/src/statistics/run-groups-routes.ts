import type { runGroups } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { readFeedbackStats } from '../feedback/feedback-stats-store.ts';
import type { RunReader } from '../reading/run-reader-work.ts';
import { listThreads } from '../threads/thread-store.ts';
import { readThreadSummaries, readTotals } from '../threads/thread-summary-store.ts';
import { openScope } from '../threads/thread-work.ts';
import { groupAnswer, groupStatsAnswer, scopeOf } from './run-group-rules.ts';

type RunGroupHandlers = Handlers<typeof runGroups>;

export function runGroupHandlers(reader: RunReader): RunGroupHandlers {
  const { db } = reader;
  return {
    groupRuns: async ({ body, workspace_id }) => {
      const { offset, limit } = body;
      const scope = await openScope(reader, workspace_id, scopeOf(body));
      const found = await listThreads(db, scope, { cursor: undefined, limit: offset + limit });
      const thread_ids = found.slice(offset).map(({ thread_id }) => thread_id);
      const summaries = await readThreadSummaries(db, { ...scope, asked: [] }, { thread_ids });
      const { session_id } = scope;
      const feedback = await readFeedbackStats(db, { workspace_id, session_id, thread_ids });
      const { threads } = await readTotals(db, scope, { thread_ids: undefined });
      const groups = thread_ids.flatMap((thread_id) => {
        const summary = summaries.get(thread_id);
        return summary === undefined
          ? []
          : [groupAnswer({ thread_id, summary, feedback: feedback.get(thread_id) ?? {} })];
      });
      return { groups, total: threads };
    },
    readRunGroupStats: async ({ body, workspace_id }) => {
      const scope = await openScope(reader, workspace_id, scopeOf(body));
      return groupStatsAnswer(await readTotals(db, scope, { thread_ids: undefined }));
    },
  };
}
