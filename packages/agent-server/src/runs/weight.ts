/**
 * About how many bytes a value takes as JSON: for limits on what is held in memory, where a guess is good enough. Stops
 * counting beyond `enough`.
 */
export function weightOf(value: unknown, enough = Infinity): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let sum = 8;
  for (const name in value) {
    if (sum > enough) break;
    const own = Array.isArray(value) ? 0 : name.length + 4;
    sum += own + weightOf((value as Readonly<Record<string, unknown>>)[name], enough - sum);
  }
  return sum;
}
