/** Decides which processes belong to a program. Pure. */

export interface Process {
  readonly pid: number;
  readonly parent: number;
}

/** Each of these processes with all below it. */
export function treesOf(roots: readonly number[], processes: readonly Process[]): Map<number, number[]> {
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const below = (pid: number): number[] => {
    const found = [pid];
    // Iterating a list includes what is added meanwhile.
    for (const one of found) found.push(...(children.get(one) ?? []).map((child) => child.pid));
    return found;
  };
  return new Map(roots.map((root) => [root, below(root)]));
}

/** The parent of a process, from the text of its `stat`; its name is in parentheses, and may hold anything. */
export const parentOf = (stat: string): number =>
  Number(stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2] ?? 0);

/** The memory of a process that it shares with no file, from the text of its `status`. */
export function ownBytes(status: string): number {
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024;
}
