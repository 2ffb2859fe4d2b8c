/** A second wish to stop within this time is the same one: npm passes a terminal's Ctrl-C on, so that it comes twice. */
const SAME_WISH_MS = 1000;

export interface StopSignal {
  readonly signal: AbortSignal;
  readonly asked: Promise<void>;
  wasForced(): boolean;
}

/** The first SIGINT or SIGTERM asks for a clean stop; another one, a second later, for a quick one. */
export function stopSignal(force: () => void): StopSignal {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  let first = 0;
  let forced = false;
  const onSignal = () => {
    if (first === 0) {
      first = Date.now();
      controller.abort();
      resolve();
    } else if (Date.now() - first > SAME_WISH_MS) {
      forced = true;
      force();
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return { signal: controller.signal, asked: promise, wasForced: () => forced };
}
