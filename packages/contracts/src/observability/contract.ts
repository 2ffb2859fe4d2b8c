import { annotationQueueItems } from './annotation-queue-items.ts';
import { annotationQueueReviewers } from './annotation-queue-reviewers.ts';
import { annotationQueueRuns } from './annotation-queue-runs.ts';
import { annotationQueues } from './annotation-queues.ts';
import { agents } from './agents.ts';
import { attachments } from './attachments.ts';
import { deletions } from './deletions.ts';
import { feedback } from './feedback.ts';
import { feedbackConfigs } from './feedback-configs.ts';
import { feedbackFormulas } from './feedback-formulas.ts';
import { feedbackTokens } from './feedback-tokens.ts';
import { comparisons } from './comparisons.ts';
import { datasets } from './datasets.ts';
import { datasetExports } from './dataset-exports.ts';
import { datasetShares } from './dataset-shares.ts';
import { datasetUploads } from './dataset-uploads.ts';
import { datasetVersions } from './dataset-versions.ts';
import { datasetsV2 } from './datasets-v2.ts';
import { observabilityErasure } from './erasure.ts';
import { examples } from './examples.ts';
import { experiments } from './experiments.ts';
import { experimentUploads } from './experiment-uploads.ts';
import { info } from './info.ts';
import { ingest } from './ingest.ts';
import { promptCommits } from './prompt-commits.ts';
import { promptDirectories } from './prompt-directories.ts';
import { prompts } from './prompts.ts';
import { platformExamples } from './platform-examples.ts';
import { refused } from './refused.ts';
import { prices } from './prices.ts';
import { rules } from './rules.ts';
import { runs } from './runs.ts';
import { runStats } from './run-stats.ts';
import { runsV2 } from './runs-v2.ts';
import { shares } from './shares.ts';
import { sessions } from './sessions.ts';
import { organizations } from './organization.ts';
import { traceRetention } from './trace-retention.ts';
import { usage } from './usage.ts';
import { sessionsV2 } from './sessions-v2.ts';
import { workspaceSettings } from './workspace-settings.ts';
import { threads } from './threads.ts';
import { workspaces } from './workspaces.ts';

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
