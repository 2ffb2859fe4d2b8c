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
