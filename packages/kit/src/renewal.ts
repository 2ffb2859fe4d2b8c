/** Renews what runs out, until it is disposed of. A renewal that fails is tried again with the next. */
export function keepRenewing(
  renew: () => Promise<unknown>,
  { every_ms }: { readonly every_ms: number },
): Disposable {
  const timer = setInterval(() => void renew().catch(() => undefined), every_ms).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
