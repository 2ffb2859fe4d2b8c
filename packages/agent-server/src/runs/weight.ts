/** About how many bytes a value takes as JSON: for limits on what is held in memory, where a guess is good enough. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let sum = 2;
  if (Array.isArray(value)) for (const one of value) sum += weightOf(one);
  else for (const [name, one] of Object.entries(value)) sum += name.length + 4 + weightOf(one);
  return sum;
}
