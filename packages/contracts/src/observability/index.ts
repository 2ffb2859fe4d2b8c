export * from './contract.ts';
export * from './runs.ts';
export * from './sessions.ts';
