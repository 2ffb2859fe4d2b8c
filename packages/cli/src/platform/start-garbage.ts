import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Gives back what only the start needed, a quarter of the platform's memory: an idle process makes no full collection of its
 * own, and V8 shrinks the young generation only after one. Holds the event loop meanwhile, once.
 */
export function collectStartGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
}
