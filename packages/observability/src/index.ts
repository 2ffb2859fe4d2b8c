export {
  migrateTraces,
  type ObservabilityOptions,
  type ObservabilityService,
  startObservability,
  TRACES_SCHEMA,
} from './observability.ts';
export {
  monthlyBytesSetting,
  monthlyTracesSetting,
  observabilityProgram,
  publicSharingSetting,
  SERVING_CONNECTIONS,
} from './observability-program.ts';
export { migrations as tracesMigrations } from './migrations/index.ts';
export { ensurePartitionsOf } from './partitions/partition-store.ts';
