export { type ObservabilityOptions, type ObservabilityService, startObservability } from './observability.ts';
export { monthlyTracesSetting, observabilityProgram, publicSharingSetting } from './observability-program.ts';
