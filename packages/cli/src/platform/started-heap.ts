import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * A flag of V8: how far a heap may grow until all of it is collected, in per cent of what lived in it the last time. What waits to be
 * written lives long enough to count as old, and so do the buffers of long threads; by its own measure V8 would collect
 * all of it every second or two. It then also grows so far where V8 would take smaller steps, but never beyond its limit.
 */
export const HEAP_GROWTH = '--heap-growing-percent=200';

/**
 * Gives back what only the start needed, a quarter of the platform's memory: an idle process makes no full collection of its
 * own, and V8 shrinks the young generation only after one. Holds the event loop meanwhile, once.
 */
export function settleHeap(): void {
  // Before the collection, by which V8 reckons when the next is due.
  setFlagsFromString(HEAP_GROWTH);
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
}
