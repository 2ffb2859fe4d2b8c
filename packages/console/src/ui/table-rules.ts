/** The row that is marked: by its key, since rows come and go around it, and where it was. */
export interface MarkedRow {
  readonly key: string | undefined;
  readonly index: number;
}

/** Where the marked row is now. One that is gone leaves its place to the row that came there. */
export function markedIndex(keys: readonly string[], { key, index }: MarkedRow): number {
  const found = key === undefined ? -1 : keys.indexOf(key);
  return found === -1 ? Math.max(0, Math.min(index, keys.length - 1)) : found;
}
