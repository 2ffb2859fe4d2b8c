/**
 * A value as JSON, in which a BigInt stands as its digits: what graphs and their handlers give may hold some, and JSON has no
 * place for them.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A replacer takes several times as long, also where there is nothing to replace.
    return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? one.toString() : one));
  }
}
