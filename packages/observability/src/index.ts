export { type ObservabilityOptions, type ObservabilityService, startObservability } from './observability.ts';
export { SERVING_CONNECTIONS } from './connections.ts';
export {
  monthlyBytesSetting,
  monthlyTracesSetting,
  observabilityProgram,
  publicSharingSetting,
} from './observability-program.ts';
