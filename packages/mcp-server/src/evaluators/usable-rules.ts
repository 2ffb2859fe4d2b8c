import { isWellFormed } from '@roadstead/contracts';

const MAX_LEVELS = 100;

/**
 * Why a value can't be evaluated and recorded; undefined where it can. One unusable value would have the whole
 * experiment refused. A value that is too large is inspected no further than the limit.
 */
export function whyUnusable(value: unknown, max_bytes: number): string | undefined {
  const tooLarge = `it has more than ${max_bytes} bytes as JSON`;
  let left = max_bytes;
  const look = (inner: unknown, level: number): string | undefined => {
    left -= typeof inner === 'string' ? inner.length + 2 : 1;
    if (left < 0) return tooLarge;
    if (typeof inner === 'string')
      return isWellFormed(inner) ? undefined : 'it contains NUL or half of a surrogate pair';
    if (typeof inner !== 'object' || inner === null) return undefined;
    if (level === MAX_LEVELS) return `it is nested in more than ${MAX_LEVELS} levels`;
    for (const key in inner) {
      const why =
        (Array.isArray(inner) ? undefined : look(key, level + 1)) ??
        look((inner as Readonly<Record<string, unknown>>)[key], level + 1);
      if (why !== undefined) return why;
    }
    return undefined;
  };
  return (
    look(value, 0) ?? (Buffer.byteLength(JSON.stringify(value) ?? '') > max_bytes ? tooLarge : undefined)
  );
}
