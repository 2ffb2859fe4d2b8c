/** Somebody pressed Ctrl-C: what is true now, in a sentence. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export interface Interrupt extends Disposable {
  readonly signal: AbortSignal;
}

/** In place of an end at once, so that a command can say what goes on without it. A terminal may send the signal twice. */
export function watchInterrupt(source: Pick<NodeJS.Process, 'on' | 'off'> = process): Interrupt {
  const controller = new AbortController();
  const onSignal = () => controller.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) source.on(signal, onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) source.off(signal, onSignal);
    },
  };
}
