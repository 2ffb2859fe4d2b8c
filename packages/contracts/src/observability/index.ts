export * from './contract.ts';
export type { ModelPriceSent } from './prices.ts';
export * from './runs.ts';
export * from './runs-v2.ts';
export * from './sessions.ts';
export { privateRunFields } from './shares.ts';
