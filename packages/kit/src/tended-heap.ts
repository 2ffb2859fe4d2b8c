import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * A flag of V8: how far a heap may grow until all of it is collected, in per cent of what survived the last
 * collection. What waits to be written lives long enough to count as old, and so do the buffers of long threads; with
 * its defaults V8 would collect everything every second or two. With the flag it also grows that far where V8 would
 * take smaller steps, but never beyond its limit.
 */
export const HEAP_GROWTH = '--heap-growing-percent=200';

const LOOK_MS = 10_000;
/** The largest share of its time that a resting thread works; an idle data plane works for a hundredth. */
const MOST_WORK = 0.05;
/** The looks in a row that it takes, so that a pause that has just begun is not taken for rest. */
const LOOKS_AT_REST = 2;
/** The growth that is worth a collection. A large heap must have grown by half, since its collection takes longer. */
const WORTH_BYTES = 32 * 1024 * 1024;

/**
 * Lets the heaps of this process grow freely while it works. Collects the calling thread's heap now, and whenever the
 * thread rests after its heap has grown: an idle process would otherwise keep for ever what its start or a load left
 * behind. A collection holds the event loop, and takes longer the more is alive.
 */
export function tendHeap({ look_ms = LOOK_MS }: { readonly look_ms?: number } = {}): Disposable {
  // Set before the collection, from which V8 calculates when the next is due.
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
    // V8 also collects by itself, and returns buffers some time after a collection.
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
