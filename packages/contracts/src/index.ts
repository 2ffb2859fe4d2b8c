export * from './access.ts';
export * from './credentials.ts';
export * from './client.ts';
export * from './endpoint.ts';
export * from './openapi.ts';
export * from './query-values.ts';
export * from './repaired-text.ts';
export * from './status-flow.ts';
