/** What a program needs that only calls services: none of what serves, and no database. */
export * from './config.ts';
export { isOutage } from './problems/error-class.ts';
export { lineSafe } from './line-safe-rules.ts';
export * from './problems/problem.ts';
