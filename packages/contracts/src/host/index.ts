export * from './manifest.ts';
export type * from './protocol.ts';
