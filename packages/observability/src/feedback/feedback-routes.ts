import type { feedback } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { WorkspacesOf } from '../workspaces/workspaces.ts';
import { requestExtensions } from '../retention/extension-store.ts';
import { sentInstant } from '../values/instant-rules.ts';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import { requireSessions } from '../session-records/session-store.ts';
import { feedbackAnswer, feedbackRowOf, sentValues, userOf } from './feedback-answer-rules.ts';
import {
  deleteFeedback,
  type FeedbackFilter,
  listFeedback,
  readFeedback,
  updateFeedback,
} from './feedback-store.ts';
import { agreeOnConfig, type OnFeedback, writeFeedback } from './feedback-work.ts';
import { readUserNames } from '../workspaces/user-names-work.ts';

type FeedbackHandlers = Handlers<typeof feedback>;
type CallOf<Name extends keyof FeedbackHandlers> = Parameters<FeedbackHandlers[Name]>[0];

interface Options {
  readonly db: Database;
  readonly clock: Clock;
  readonly workspaces: WorkspacesOf;
  /** Called after somebody asked for traces to be kept longer. */
  readonly extended: () => void;
  readonly onFeedback: OnFeedback;
}

export function feedbackHandlers(options: Options): FeedbackHandlers {
  const { db, clock, workspaces, onFeedback } = options;
  const now = () => new Date(clock.now()).toISOString();
  return {
    listFeedback: async ({ query, workspace_id }) => {
      const filter = { ...filterOf(query), workspace_id };
      const rows = await inLimitedTime(db, (tx) => listFeedback(tx, filter, query));
      const names = query.include_user_names ? await readUserNames(workspaces, rows) : undefined;
      return rows.map((row) => feedbackAnswer(row, names));
    },
    createFeedback: (call) => create(options, call),
    createFeedbackEagerly: (call) => create(options, call),
    readFeedback: async ({ params, query, workspace_id }) => {
      const row = await readFeedback(db, { workspace_id, feedback_id: params.feedback_id });
      return feedbackAnswer(
        row,
        query.include_user_names ? await readUserNames(workspaces, [row]) : undefined,
      );
    },
    patchFeedback: async ({ params, body, workspace_id }) => {
      const id = { workspace_id, feedback_id: params.feedback_id };
      const row = await db.transaction(async (tx) => {
        const changed = await updateFeedback(tx, id, { ...sentValues(body), modified_at: now() });
        const config = body.feedback_config;
        await agreeOnConfig(tx, { workspace_id, key: changed.key, config, now: now() });
        const run_ids = changed.run_id === null ? [] : [changed.run_id];
        await onFeedback(tx, { workspace_id, run_ids });
        return changed;
      });
      return feedbackAnswer(row);
    },
    deleteFeedback: async ({ params, workspace_id }) => {
      await deleteFeedback(db, { workspace_id, feedback_id: params.feedback_id });
      return { message: 'The feedback is deleted.' };
    },
  };
}

/** The same id overwrites the earlier feedback, so that a client may repeat a request. */
async function create(
  { db, clock, extended, onFeedback }: Options,
  { body, workspace_id, principal }: CallOf<'createFeedback'>,
) {
  const now = new Date(clock.now()).toISOString();
  const feedback_id = body.id?.toLowerCase() ?? uuidv7();
  const row = feedbackRowOf(body, { workspace_id, feedback_id, user_id: userOf(principal), now });
  if (row.run_id === null) await requireSessions(db, { workspace_id, ids: [row.session_id ?? ''] });
  const config = body.feedback_config ?? body.feedbackConfig;
  const extends_retention = body.extend_trace_retention === true && row.run_id !== null;
  const written = await db.transaction(async (tx) => {
    await agreeOnConfig(tx, { workspace_id, key: row.key, config, now });
    if (extends_retention) await requestExtensions(tx, { runs: [row], now });
    await writeFeedback(tx, { rows: [row], onFeedback });
    return readFeedback(tx, { workspace_id, feedback_id });
  });
  if (extends_retention) extended();
  return feedbackAnswer(written);
}

function filterOf(query: CallOf<'listFeedback'>['query']): Omit<FeedbackFilter, 'workspace_id'> {
  return {
    run_ids: query.run,
    keys: query.key,
    session_ids: query.session,
    source_types: query.source,
    user_ids: query.user,
    has_comment: query.has_comment,
    has_score: query.has_score,
    level: query.level,
    min_created_at: sentInstant(query.min_created_at, ['query', 'min_created_at']),
    max_created_at: sentInstant(query.max_created_at, ['query', 'max_created_at']),
    comparative_experiment_id: query.comparative_experiment_id,
  };
}
