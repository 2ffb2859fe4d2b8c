/** Names in camelCase, like ProtoJSON's. Pure. */

export function protoName(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Renames the fields of an object and of the objects in its lists, but not what users put in them. */
export function protoNames<T>(value: T): T {
  if (Array.isArray(value)) return value.map((one: unknown) => named(one, (held) => held)) as T;
  return named(value, (held) => (Array.isArray(held) ? protoNames(held) : held)) as T;
}

function named(value: unknown, change: (held: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [protoName(name), change(held)]));
}
