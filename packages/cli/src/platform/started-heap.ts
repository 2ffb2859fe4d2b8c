import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How much the heap may grow between two full collections, in per cent of what lives in it. What waits to be written lives long
 * enough to be taken for old; by V8's own measure a full collection came every second and a half under 32 traced calls.
 */
const GROWTH = 200;

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

/** From now on collects the whole heap more rarely than V8 would by itself; never beyond its limit. */
export function growHeapFreely(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
}
