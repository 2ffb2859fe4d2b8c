export { type Agent, agentEnvironments } from './agents.ts';
export * from './contract.ts';
export type { ModelPriceSent } from './prices.ts';
export type { ItemSection, QueueItem, QueueItemCreate } from './annotation-queue-items.ts';
export type {
  AnnotationQueue,
  AnnotationQueueCreate,
  AnnotationQueueUpdate,
  AnnotationQueueWithRubric,
} from './annotation-queues.ts';
export type { Feedback, FeedbackCreate } from './feedback.ts';
export type { FeedbackConfig } from './feedback-configs.ts';
export type { FeedbackFormula } from './feedback-formulas.ts';
export type { FeedbackToken, FeedbackTokenCreate } from './feedback-tokens.ts';
export { ExperimentUpload, UploadedRow } from './experiment-uploads.ts';
export { DataType, Dataset, DatasetTransformation } from './dataset-shapes.ts';
export type { Example } from './example-shapes.ts';
export type { RunGroupQuery, RunStats, RunStatsQuery } from './run-stats.ts';
export * from './runs.ts';
export * from './runs-v2.ts';
export * from './sessions.ts';
export type { SessionV2 } from './sessions-v2.ts';
export { MetadataChange } from './platform-examples.ts';
export type { Prompt } from './prompts.ts';
export { privateRunFields } from './shares.ts';
export * from './threads.ts';
export { LONGLIVED_TTL_DAYS } from './trace-retention.ts';
