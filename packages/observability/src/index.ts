export { type ObservabilityOptions, type ObservabilityService, startObservability } from './observability.ts';
export {
  monthlyBytesSetting,
  monthlyTracesSetting,
  observabilityProgram,
  publicSharingSetting,
  SERVING_CONNECTIONS,
} from './observability-program.ts';
