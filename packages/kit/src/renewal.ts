/**
 * Renews what runs out, until it is disposed of; that waits for a renewal under way. One that fails is tried again with
 * the next.
 */
export function keepRenewing(
  renew: () => Promise<unknown>,
  { every_ms }: { readonly every_ms: number },
): AsyncDisposable {
  let running: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    running ??= renew()
      .catch(() => undefined)
      .finally(() => (running = undefined));
  }, every_ms).unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
