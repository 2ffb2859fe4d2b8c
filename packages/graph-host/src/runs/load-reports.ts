import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { HostLoad } from '@roadstead/contracts/host';
import { MANY_RUNS } from '@roadstead/contracts/host-peer';

const LOOK_MS = 100;
/** The share of the newest look in the mean, so that about a second counts. */
const NEWEST = 0.15;

export interface LoadReportsOptions {
  readonly runs: () => number;
  readonly tell: (load: HostLoad) => void;
}

/** Says ten times a second what the host does, while it has many runs. */
export class LoadReports {
  readonly #options: LoadReportsOptions;
  #timer: NodeJS.Timeout | undefined;
  #busy = 0;

  constructor(options: LoadReportsOptions) {
    this.#options = options;
  }

  /** Begins to look where there are many runs, until there are few. */
  watch(): void {
    if (this.#timer === undefined && this.#options.runs() >= MANY_RUNS) this.#later();
  }

  #later(): void {
    const due = performance.now() + LOOK_MS;
    const before = performance.eventLoopUtilization();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const { utilization } = performance.eventLoopUtilization(before);
      this.#busy += NEWEST * (utilization - this.#busy);
      if (this.#options.runs() < MANY_RUNS) return;
      const { used_heap_size, heap_size_limit } = getHeapStatistics();
      this.#options.tell({
        late_ms: Math.max(0, performance.now() - due),
        busy: this.#busy,
        heap: used_heap_size / heap_size_limit,
        resident_bytes: process.memoryUsage.rss(),
      });
      this.#later();
    }, LOOK_MS).unref();
  }
}
