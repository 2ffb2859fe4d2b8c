import { annotationQueueItems } from './queues/annotation-queue-items.ts';
import { annotationQueueReviewers } from './queues/annotation-queue-reviewers.ts';
import { annotationQueueRuns } from './queues/annotation-queue-runs.ts';
import { annotationQueues } from './queues/annotation-queues.ts';
import { agents } from './sessions/agents.ts';
import { attachments } from './attachments.ts';
import { deletions } from './runs/deletions.ts';
import { feedback } from './feedback/feedback.ts';
import { feedbackConfigs } from './feedback/feedback-configs.ts';
import { feedbackFormulas } from './feedback/feedback-formulas.ts';
import { feedbackTokens } from './feedback/feedback-tokens.ts';
import { comparisons } from './experiments/comparisons.ts';
import { datasets } from './datasets/datasets.ts';
import { datasetExports } from './datasets/dataset-exports.ts';
import { datasetShares } from './datasets/dataset-shares.ts';
import { datasetUploads } from './datasets/dataset-uploads.ts';
import { datasetVersions } from './datasets/dataset-versions.ts';
import { datasetsV2 } from './datasets/datasets-v2.ts';
import { observabilityErasure } from './erasure.ts';
import { examples } from './datasets/examples.ts';
import { experiments } from './experiments/experiments.ts';
import { experimentUploads } from './experiments/experiment-uploads.ts';
import { info } from './info.ts';
import { ingest } from './runs/ingest.ts';
import { promptCommits } from './prompts/prompt-commits.ts';
import { promptDirectories } from './prompts/prompt-directories.ts';
import { prompts } from './prompts/prompts.ts';
import { platformExamples } from './datasets/platform-examples.ts';
import { refused } from './refused.ts';
import { prices } from './workspaces/prices.ts';
import { rules } from './rules.ts';
import { runs } from './runs/runs.ts';
import { runStats } from './runs/run-stats.ts';
import { runsV2 } from './runs/runs-v2.ts';
import { shares } from './runs/shares.ts';
import { sessions } from './sessions/sessions.ts';
import { organizations } from './workspaces/organization.ts';
import { traceRetention } from './workspaces/trace-retention.ts';
import { usage } from './workspaces/usage.ts';
import { sessionsV2 } from './sessions/sessions-v2.ts';
import { workspaceSettings } from './workspaces/workspace-settings.ts';
import { threads } from './runs/threads.ts';
import { workspaces } from './workspaces/workspaces.ts';

export const observability = {
  // Fixed words before parameters that would take them for an id.
  ...observabilityErasure,
  ...refused,
  ...info,
  ...ingest,
  ...attachments,
  ...prices,
  ...rules,
  ...runs,
  ...runStats,
  ...runsV2,
  ...shares,
  ...threads,
  ...deletions,
  ...agents,
  ...sessionsV2,
  ...sessions,
  ...prompts,
  ...promptCommits,
  ...promptDirectories,
  ...workspaceSettings,
  ...workspaces,
  ...organizations,
  ...usage,
  ...traceRetention,
  ...feedbackConfigs,
  ...feedbackFormulas,
  ...feedbackTokens,
  ...feedback,
  ...examples,
  ...platformExamples,
  ...datasets,
  ...datasetVersions,
  ...datasetExports,
  ...datasetUploads,
  ...experiments,
  ...experimentUploads,
  ...comparisons,
  ...annotationQueues,
  ...annotationQueueRuns,
  ...annotationQueueItems,
  ...annotationQueueReviewers,
  ...datasetShares,
  ...datasetsV2,
};
export type ObservabilityContract = typeof observability;
