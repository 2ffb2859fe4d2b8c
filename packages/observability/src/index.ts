export { type ObservabilityOptions, type ObservabilityService, startObservability } from './observability.ts';
export { observabilityProgram, publicSharingSetting } from './observability-program.ts';
