/**
 * A second signal within this time counts as the same one: npm passes a terminal's Ctrl-C on, so that it arrives
 * twice.
 */
const SAME_SIGNAL_MS = 1000;

export interface StopSignal {
  /** Aborted by the first signal: for a clean stop. */
  readonly signal: AbortSignal;
  /** Aborted by another one at least a second later: for an immediate stop. */
  readonly forced: AbortSignal;
  readonly asked: Promise<void>;
}

/** The source of signals: the process. */
interface SignalSource {
  on(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown;
}

export function stopSignal(source: SignalSource = process, now: () => number = Date.now): StopSignal {
  const [stop, force] = [new AbortController(), new AbortController()];
  const { promise, resolve } = Promise.withResolvers<void>();
  let first_at: number | undefined;
  const onSignal = () => {
    if (first_at === undefined) {
      first_at = now();
      stop.abort();
      resolve();
    } else if (now() - first_at > SAME_SIGNAL_MS) force.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) source.on(signal, onSignal);
  return { signal: stop.signal, forced: force.signal, asked: promise };
}
