export { type ObservabilityOptions, type ObservabilityService, startObservability } from './observability.ts';
