import { alerts } from './alerts.ts';
import { annotationQueueItems } from './queues/annotation-queue-items.ts';
import { annotationQueueReviewers } from './queues/annotation-queue-reviewers.ts';
import { annotationQueueRuns } from './queues/annotation-queue-runs.ts';
import { annotationQueueEntries } from './queues/annotation-queue-entries.ts';
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
import { sharedExperiments } from './datasets/shared-experiments.ts';
import { sharedExperimentRuns } from './datasets/shared-experiment-runs.ts';
import { datasetUploads } from './datasets/dataset-uploads.ts';
import { datasetVersions } from './datasets/dataset-versions.ts';
import { observabilityErasure } from './erasure.ts';
import { examples } from './datasets/examples.ts';
import { experiments } from './experiments/experiments.ts';
import { experimentGroups } from './experiments/experiment-groups.ts';
import { experimentUploads } from './experiments/experiment-uploads.ts';
import { info } from './info.ts';
import { ingest } from './runs/ingest.ts';
import { otlp } from './runs/otlp.ts';
import { promptCommits } from './prompts/prompt-commits.ts';
import { promptTags } from './prompts/prompt-tags.ts';
import { promptDirectories } from './prompts/prompt-directories.ts';
import { prompts } from './prompts/prompts.ts';
import { modelProviders } from './playground/model-providers.ts';
import { playgroundExperiments } from './playground/playground-experiments.ts';
import { playgroundRuns } from './playground/playground-runs.ts';
import { platformExamples } from './datasets/platform-examples.ts';
import { refused } from './refused.ts';
import { prices } from './workspaces/prices.ts';
import { rules } from './rules.ts';
import { runs } from './runs/runs.ts';
import { runStats } from './runs/run-stats.ts';
import { runGroups } from './runs/run-groups.ts';
import { runsV2 } from './runs/runs-v2.ts';
import { series } from './runs/series.ts';
import { shares } from './runs/shares.ts';
import { sharedRuns } from './runs/shared-runs.ts';
import { sessions } from './sessions/sessions.ts';
import { organizations } from './workspaces/organization.ts';
import { traceRetention } from './workspaces/trace-retention.ts';
import { usage } from './workspaces/usage.ts';
import { usageLimits } from './workspaces/usage-limits.ts';
import { sessionsV2 } from './sessions/sessions-v2.ts';
import { workspaceSettings } from './workspaces/workspace-settings.ts';
import { threads } from './runs/threads.ts';
import { workspaces } from './workspaces/workspaces.ts';
import { workspaceSecrets } from './workspaces/workspace-secrets.ts';
import { sharedLinks } from './workspaces/shared-links.ts';

export const observability = {
  // Fixed words before parameters that would take them for an id.
  ...observabilityErasure,
  ...refused,
  ...info,
  ...ingest,
  ...otlp,
  ...attachments,
  ...prices,
  ...rules,
  ...runs,
  ...runStats,
  ...runGroups,
  ...runsV2,
  ...series,
  ...alerts,
  ...shares,
  ...sharedRuns,
  ...threads,
  ...deletions,
  ...agents,
  ...sessionsV2,
  ...sessions,
  ...prompts,
  ...promptCommits,
  ...promptTags,
  ...promptDirectories,
  ...modelProviders,
  ...playgroundRuns,
  ...playgroundExperiments,
  ...workspaceSettings,
  ...workspaces,
  ...workspaceSecrets,
  ...sharedLinks,
  ...organizations,
  ...usage,
  ...usageLimits,
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
  ...experimentGroups,
  ...experimentUploads,
  ...comparisons,
  ...annotationQueues,
  ...annotationQueueRuns,
  ...annotationQueueEntries,
  ...annotationQueueItems,
  ...annotationQueueReviewers,
  ...datasetShares,
  ...sharedExperiments,
  ...sharedExperimentRuns,
};
export type ObservabilityContract = typeof observability;
