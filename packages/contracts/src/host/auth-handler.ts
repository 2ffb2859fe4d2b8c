/** The name of the handler that decides, among those there are: the most exact one. */
export function handlerFor(
  names: readonly string[],
  { resource, action }: { readonly resource: string; readonly action: string },
): string | undefined {
  return [`${resource}:${action}`, resource, `*:${action}`, '*'].find((name) => names.includes(name));
}
