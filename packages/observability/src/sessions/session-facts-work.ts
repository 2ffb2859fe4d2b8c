import type { Queryable } from '@roadstead/kit';
import type { FeedbackStats } from '../feedback/feedback-row.ts';
import { readFeedbackStats } from '../feedback/feedback-stats-store.ts';
import type { SessionStats } from './session-row.ts';
import { readSessionStats } from './session-stats-work.ts';

/** What is known of a project beyond its row. */
export interface SessionFacts {
  readonly stats: SessionStats;
  /** On its runs. */
  readonly feedback: FeedbackStats;
  /** On the project as a whole. */
  readonly session_feedback: FeedbackStats;
}

/** @param sessions of runs since an instant, if one is given; feedback is of all. */
export async function readSessionFacts(
  db: Queryable,
  sessions: {
    readonly workspace_id: string;
    readonly session_ids: readonly string[];
    readonly since?: string | undefined;
  },
): Promise<Map<string, SessionFacts>> {
  if (sessions.session_ids.length === 0) return new Map();
  const stats = await readSessionStats(db, sessions);
  const feedback = await readFeedbackStats(db, { ...sessions, level: 'run' });
  const session_feedback = await readFeedbackStats(db, { ...sessions, level: 'session' });
  return new Map(
    [...stats].map(([id, one]) => [
      id,
      { stats: one, feedback: feedback.get(id) ?? {}, session_feedback: session_feedback.get(id) ?? {} },
    ]),
  );
}
