/** The subset for programs that only call services: nothing that serves, and no database. */
export * from './config.ts';
export { isOutage } from './problems/error-class.ts';
export { lineSafe } from './line-safe-rules.ts';
export * from './problems/problem.ts';
