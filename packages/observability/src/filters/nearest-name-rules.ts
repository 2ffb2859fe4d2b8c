/** The name that was likely meant: the nearest one by letters added, left out, replaced or swapped. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const wanted = written.toLowerCase();
  if (wanted.length > MAX_LENGTH) return undefined;
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let nearest: string | undefined;
  let least = limit + 1;
  for (const name of names) {
    const distance = editsBetween(wanted, name.toLowerCase());
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest ?? names.find((name) => wanted.length > 2 && name.toLowerCase().includes(wanted));
}

const MAX_LENGTH = 64;

function editsBetween(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (same ? 0 : 1),
          swapped && row > 1 && column > 1 ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    before = last;
    last = next;
  }
  return last[other.length] ?? 0;
}
