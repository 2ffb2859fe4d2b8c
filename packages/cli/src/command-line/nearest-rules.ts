/** The name that was most likely meant, or undefined where none is similar. */
export function nearestOf(typed: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({
      name,
      distance: typed.length > 1 && name.startsWith(typed) ? 0 : editsBetween(typed, name),
    }))
    .toSorted((one, other) => one.distance - other.distance)[0];
  return near !== undefined && near.distance <= Math.max(1, Math.floor(typed.length / 3))
    ? near.name
    : undefined;
}

/** The number of letters to insert, delete, change, or swap with their neighbour. */
function editsBetween(one: string, other: string): number {
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1];
      const isSwap = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      next[at] = Math.min(
        (last[at] ?? 0) + 1,
        (next[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[at - 2] ?? 0) + 1 : Infinity,
      );
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
