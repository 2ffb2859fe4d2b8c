import type { Queryable } from '@roadstead/postgres';
import type { FeedbackStats } from '../records/feedback-row.ts';
import { type Median, readFeedbackStats, readMedians } from '../feedback/feedback-stats-store.ts';
import { readMatchedStats, readMediansOfMatching } from '../statistics/project-stats-work.ts';
import type { RunConditions } from '../queries/run-query-rules.ts';
import type { SessionStats } from '../session-records/session-row.ts';
import { readSessionStats } from '../statistics/session-stats-work.ts';
import type { SessionKeys } from '../values/keys.ts';

/** The facts about a project beyond its row. */
export interface SessionFacts {
  readonly stats: SessionStats;
  /** The feedback on its runs. */
  readonly feedback: FeedbackStats;
  /** The feedback on the project as a whole. */
  readonly session_feedback: FeedbackStats;
}

/** The runs that statistics are over. */
export interface StatsScope {
  /** The time since which runs count; feedback counts regardless of it. */
  readonly since?: string | undefined;
  /** The condition on root runs that count, and on the feedback on them. */
  readonly matching?: RunConditions | undefined;
}

export async function readSessionFacts(
  db: Queryable,
  sessions: StatsScope & SessionKeys,
): Promise<Map<string, SessionFacts>> {
  if (sessions.session_ids.length === 0) return new Map();
  const of_runs = await readRunFacts(db, sessions);
  const session_feedback = await readFeedbackStats(db, { ...sessions, level: 'session' });
  return new Map(
    [...of_runs].map(([id, one]) => [id, { ...one, session_feedback: session_feedback.get(id) ?? {} }]),
  );
}

async function readRunFacts(
  db: Queryable,
  { matching, since, ...sessions }: StatsScope & SessionKeys,
): Promise<Map<string, Omit<SessionFacts, 'session_feedback'>>> {
  if (matching !== undefined) return readMatchedStats(db, { ...sessions, since, matching });
  const stats = await readSessionStats(db, { ...sessions, since });
  const feedback = await readFeedbackStats(db, { ...sessions, level: 'run' });
  return new Map([...stats].map(([id, one]) => [id, { stats: one, feedback: feedback.get(id) ?? {} }]));
}

/** The median of the scores of each key of feedback. */
export interface Medians {
  readonly feedback: ReadonlyMap<string, number>;
  readonly session_feedback: ReadonlyMap<string, number>;
}

/** The medians by project. */
export async function readSessionMedians(
  db: Queryable,
  { matching, since, ...sessions }: StatsScope & SessionKeys,
): Promise<Map<string, Medians>> {
  if (sessions.session_ids.length === 0) return new Map();
  const of_runs =
    matching === undefined
      ? await readMedians(db, { ...sessions, level: 'run' })
      : await readMediansOfMatching(db, { ...sessions, since, matching });
  const of_session = await readMedians(db, { ...sessions, level: 'session' });
  const ofProject = (medians: readonly Median[], id: string) =>
    new Map(medians.filter((one) => one.session_id === id).map(({ key, median }) => [key, median]));
  return new Map(
    sessions.session_ids.map((id) => [
      id,
      { feedback: ofProject(of_runs, id), session_feedback: ofProject(of_session, id) },
    ]),
  );
}
