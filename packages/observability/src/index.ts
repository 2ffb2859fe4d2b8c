export { type ObservabilityOptions, type ObservabilityService, startObservability } from './observability.ts';
export {
  KEPT_CONNECTIONS,
  monthlyBytesSetting,
  monthlyTracesSetting,
  observabilityProgram,
  publicSharingSetting,
} from './observability-program.ts';
