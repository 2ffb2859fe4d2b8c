export { type ObservabilityOptions, type ObservabilityService, startObservability } from './observability.ts';
export { observabilityProgram } from './observability-program.ts';
