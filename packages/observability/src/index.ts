export { type Observability, type ObservabilityOptions, startObservability } from './observability.ts';
