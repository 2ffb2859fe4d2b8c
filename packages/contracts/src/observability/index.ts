export { type Agent, agentEnvironments } from './sessions/agents.ts';
export * from './contract.ts';
export type { ModelPriceSent } from './workspaces/prices.ts';
export type { ItemSection, QueueItem, QueueItemCreate } from './queues/annotation-queue-items.ts';
export type {
  AnnotationQueue,
  AnnotationQueueCreate,
  AnnotationQueueUpdate,
  AnnotationQueueWithRubric,
} from './queues/annotation-queues.ts';
export type { Feedback, FeedbackCreate } from './feedback/feedback.ts';
export type { FeedbackConfig } from './feedback/feedback-configs.ts';
export type { FeedbackFormula } from './feedback/feedback-formulas.ts';
export type { FeedbackToken, FeedbackTokenCreate } from './feedback/feedback-tokens.ts';
export { ExperimentUpload, UploadedRow } from './experiments/experiment-uploads.ts';
export { DataType, Dataset, DatasetTransformation } from './datasets/dataset-shapes.ts';
export type { Example } from './datasets/example-shapes.ts';
export type { RunGroupQuery, RunStats, RunStatsQuery } from './runs/run-stats.ts';
export * from './runs/runs.ts';
export * from './runs/runs-v2.ts';
export * from './sessions/sessions.ts';
export type { SessionV2 } from './sessions/sessions-v2.ts';
export { MetadataChange } from './datasets/platform-examples.ts';
export type { Prompt } from './prompts/prompts.ts';
export { privateRunFields } from './runs/shares.ts';
export * from './runs/threads.ts';
export { LONGLIVED_TTL_DAYS } from './workspaces/trace-retention.ts';
