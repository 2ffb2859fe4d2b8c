export { type ObservabilityOptions, type ObservabilityService, startObservability } from './observability.ts';
export {
  monthlyBytesSetting,
  monthlyTracesSetting,
  observabilityProgram,
  publicSharingSetting,
} from './observability-program.ts';
