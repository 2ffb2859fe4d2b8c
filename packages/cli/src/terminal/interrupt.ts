/** The command was interrupted; the message names what continues without it. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
}

export interface Interrupt extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Replaces the immediate exit, so that a command can report what continues without it. The signal may arrive twice.
 */
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
