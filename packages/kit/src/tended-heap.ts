import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * A flag of V8: how far a heap may grow until all of it is collected, in per cent of what lived in it the last time. What waits to be
 * written lives long enough to count as old, and so do the buffers of long threads; by its own measure V8 would collect
 * all of it every second or two. It then also grows so far where V8 would take smaller steps, but never beyond its limit.
 */
export const HEAP_GROWTH = '--heap-growing-percent=200';

const LOOK_MS = 10_000;
/** The share of its time that a thread at rest works at most; an idle data plane takes a hundredth. */
const MOST_WORK = 0.05;
/** So many looks in a row, so that what has just begun is not taken for rest. */
const LOOKS_AT_REST = 2;
/** Of growth. A large heap must have grown by half, since its collection takes longer. */
const WORTH_BYTES = 32 * 1024 * 1024;

/**
 * From now on lets the heaps of this process grow freely while it works, and collects all of the calling thread's now, and whenever
 * the thread rests after it has grown: an idle process would keep for ever what its start or a load has left. That holds the event
 * loop, for longer the more lives in the heap.
 */
export function tendHeap({ look_ms = LOOK_MS }: { readonly look_ms?: number } = {}): Disposable {
  // Before the collection, by which V8 reckons when the next is due.
  setFlagsFromString(HEAP_GROWTH);
  collect();
  let held = heldBytes();
  let rested = 0;
  let looked_at = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, looked_at);
    looked_at = now;
    rested = utilization > MOST_WORK ? 0 : rested + 1;
    const bytes = heldBytes();
    // V8 collects by itself, too, and gives buffers back some time after a collection.
    held = Math.min(held, bytes);
    if (rested < LOOKS_AT_REST || bytes - held < Math.max(WORTH_BYTES, held / 2)) return;
    collect();
    held = heldBytes();
  }, look_ms).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function heldBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof gc === 'function') gc();
}
