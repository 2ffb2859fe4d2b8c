import type { feedbackConfigs } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { naive } from '../values/instant-rules.ts';
import { isSameConfig, requireSense, withCategories } from './feedback-config-rules.ts';
import {
  deleteFeedbackConfig,
  ensureFeedbackConfig,
  type FeedbackConfigRow,
  listFeedbackConfigs,
  lockFeedbackConfig,
  updateFeedbackConfig,
} from './feedback-config-store.ts';

type ConfigHandlers = Handlers<typeof feedbackConfigs>;

export function feedbackConfigHandlers(db: Database, clock: Clock): ConfigHandlers {
  const now = () => new Date(clock.now()).toISOString();
  return {
    listFeedbackConfigs: async ({ query, workspace_id }) => {
      const { key: keys, name_contains, is_enforced, sort_by_desc: descending, limit, offset } = query;
      const filter = { workspace_id, keys, name_contains, is_enforced };
      return (await listFeedbackConfigs(db, filter, { descending, limit, offset })).map(answerOf);
    },
    createFeedbackConfig: async ({ body, workspace_id }) => {
      requireSense(body.feedback_config);
      const row = await ensureFeedbackConfig(db, {
        workspace_id,
        feedback_key: body.feedback_key,
        feedback_config: body.feedback_config,
        is_lower_score_better: body.is_lower_score_better ?? null,
        is_enforced: true,
        modified_at: now(),
      });
      if (isSameConfig(row.feedback_config, body.feedback_config)) return answerOf(row);
      throw new Problem('invalid', 'There is another configuration of this feedback key already.', {
        hint: 'PATCH /feedback-configs changes it.',
      });
    },
    patchFeedbackConfig: async ({ body, workspace_id }) => {
      const { feedback_key, is_lower_score_better = null } = body;
      if (body.feedback_config != null) requireSense(body.feedback_config);
      return db.transaction(async (tx) => {
        const stored = await lockFeedbackConfig(tx, { workspace_id, feedback_key });
        const feedback_config = withCategories(body.feedback_config ?? stored.feedback_config, body);
        const change = { workspace_id, feedback_key, feedback_config, is_lower_score_better };
        return answerOf(await updateFeedbackConfig(tx, { ...change, modified_at: now() }));
      });
    },
    deleteFeedbackConfig: async ({ query, workspace_id }) =>
      deleteFeedbackConfig(db, { workspace_id, feedback_key: query.feedback_key }),
  };
}

const answerOf = (row: FeedbackConfigRow) => ({
  feedback_key: row.feedback_key,
  feedback_config: row.feedback_config,
  is_lower_score_better: row.is_lower_score_better,
  is_enforced: row.is_enforced,
  is_first: true as const,
  tenant_id: row.workspace_id,
  modified_at: naive(row.modified_at) ?? '',
});
