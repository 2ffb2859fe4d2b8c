export type * from './auth.ts';
export type * from './checkpoints.ts';
export * from './manifest.ts';
export type * from './protocol.ts';
export type * from './state.ts';
