export type * from './attempt.ts';
export type * from './auth.ts';
export type * from './checkpoints.ts';
export type { CardWords } from './card-words.ts';
export * from './manifest.ts';
export type * from './protocol.ts';
export type * from './state.ts';
