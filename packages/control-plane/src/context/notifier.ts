/** Notifies callers that wait for news under a name, within this process; other processes poll. */
export interface Notifier {
  /** The number of notifications so far, so that one between looking and waiting is not missed. */
  count(name: string): number;
  notify(name: string): void;
  /** Resolves at a notification after `count`, after `ms`, or when the signal aborts; never rejects. */
  wait(
    name: string,
    since: { readonly count: number; readonly ms: number },
    signal: AbortSignal,
  ): Promise<void>;
}

export function createNotifier(): Notifier {
  const counts = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();
  const count = (name: string) => counts.get(name) ?? 0;
  return {
    count,
    notify: (name) => {
      counts.set(name, count(name) + 1);
      for (const wake of waiting.get(name) ?? []) wake();
    },
    wait: (name, since, signal) => {
      if (count(name) !== since.count || signal.aborted) return Promise.resolve();
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
