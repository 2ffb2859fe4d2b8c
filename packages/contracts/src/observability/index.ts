export * from './alerts.ts';
export { attachments } from './attachments.ts';
export * from './contract.ts';
export { datasetExports } from './datasets/dataset-exports.ts';
export { Dataset, DatasetTransformation, DataType } from './datasets/dataset-shapes.ts';
export { datasetShares } from './datasets/dataset-shares.ts';
export { datasetUploads } from './datasets/dataset-uploads.ts';
export { datasetVersions } from './datasets/dataset-versions.ts';
export { datasets } from './datasets/datasets.ts';
export type { Example } from './datasets/example-shapes.ts';
export { examples } from './datasets/examples.ts';
export { MetadataChange, platformExamples } from './datasets/platform-examples.ts';
export { sharedExperimentRuns } from './datasets/shared-experiment-runs.ts';
export { sharedExperiments } from './datasets/shared-experiments.ts';
export { observabilityErasure } from './erasure.ts';
export { comparisons } from './experiments/comparisons.ts';
export { experimentGroups } from './experiments/experiment-groups.ts';
export { ExperimentUpload, experimentUploads, UploadedRow } from './experiments/experiment-uploads.ts';
export { experiments } from './experiments/experiments.ts';
export { type FeedbackConfig, feedbackConfigs } from './feedback/feedback-configs.ts';
export { type FeedbackFormula, feedbackFormulas } from './feedback/feedback-formulas.ts';
export { type FeedbackToken, type FeedbackTokenCreate, feedbackTokens } from './feedback/feedback-tokens.ts';
export { type Feedback, feedback, type FeedbackCreate } from './feedback/feedback.ts';
export { info } from './info.ts';
export { type ModelProvider, modelProviders, type ProviderKind } from './playground/model-providers.ts';
export {
  type PlaygroundExperiment,
  type PlaygroundExperimentCreate,
  playgroundExperiments,
  type PlaygroundExperimentStatus,
} from './playground/playground-experiments.ts';
export { type PlaygroundRunCreate, playgroundRuns } from './playground/playground-runs.ts';
export { PlaygroundMessage, type PlaygroundParameters } from './playground/playground-shapes.ts';
export { promptCommits } from './prompts/prompt-commits.ts';
export { promptDirectories } from './prompts/prompt-directories.ts';
export { promptTags } from './prompts/prompt-tags.ts';
export { type Prompt, prompts } from './prompts/prompts.ts';
export { annotationQueueEntries } from './queues/annotation-queue-entries.ts';
export {
  annotationQueueItems,
  type ItemSection,
  type QueueItem,
  type QueueItemCreate,
} from './queues/annotation-queue-items.ts';
export { annotationQueueReviewers } from './queues/annotation-queue-reviewers.ts';
export { annotationQueueRuns } from './queues/annotation-queue-runs.ts';
export {
  type AnnotationQueue,
  type AnnotationQueueCreate,
  annotationQueues,
  type AnnotationQueueUpdate,
  type AnnotationQueueWithRubric,
} from './queues/annotation-queues.ts';
export { rules } from './rules.ts';
export { deletions } from './runs/deletions.ts';
export { ingest } from './runs/ingest.ts';
export { otlp } from './runs/otlp.ts';
export { type RunGroupQuery, runGroups } from './runs/run-groups.ts';
export { type RunStats, runStats, type RunStatsQuery } from './runs/run-stats.ts';
export * from './runs/runs-v2.ts';
export * from './runs/runs.ts';
export * from './runs/series.ts';
export { privateRunFields, sharedRuns } from './runs/shared-runs.ts';
export { shares } from './runs/shares.ts';
export * from './runs/threads.ts';
export { type Agent, agentEnvironments, agents } from './sessions/agents.ts';
export { sessionsV2, type SessionV2 } from './sessions/sessions-v2.ts';
export * from './sessions/sessions.ts';
export { organizations } from './workspaces/organization.ts';
export { type ModelPriceSent, prices } from './workspaces/prices.ts';
export { sharedLinks } from './workspaces/shared-links.ts';
export { LONGLIVED_TTL_DAYS, traceRetention } from './workspaces/trace-retention.ts';
export { usageLimits } from './workspaces/usage-limits.ts';
export { usage } from './workspaces/usage.ts';
export { workspaceSecrets } from './workspaces/workspace-secrets.ts';
export { workspaceSettings } from './workspaces/workspace-settings.ts';
export { workspaces } from './workspaces/workspaces.ts';
