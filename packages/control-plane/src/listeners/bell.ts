/** Wakes who waits for news under a name, within this process; between processes they poll. */
export interface Bell {
  /** Remembers how often it has rung, so that a ring between looking and waiting is not missed. */
  mark(name: string): number;
  ring(name: string): void;
  /** Resolves at a ring after `mark`, after `ms`, or when the signal aborts; never rejects. */
  wait(
    name: string,
    since: { readonly mark: number; readonly ms: number },
    signal: AbortSignal,
  ): Promise<void>;
}

export function createBell(): Bell {
  const rings = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();
  const mark = (name: string) => rings.get(name) ?? 0;
  return {
    mark,
    ring: (name) => {
      rings.set(name, mark(name) + 1);
      for (const wake of waiting.get(name) ?? []) wake();
    },
    wait: (name, since, signal) => {
      if (mark(name) !== since.mark || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const sleepers = waiting.get(name) ?? new Set();
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          sleepers.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, since.ms);
        signal.addEventListener('abort', wake);
        sleepers.add(wake);
        waiting.set(name, sleepers);
      });
    },
  };
}
