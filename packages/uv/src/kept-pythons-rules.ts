/** Which of the Pythons that uv brought stay, by the names of their folders. Pure. */

const BROUGHT = /^cpython-(\d+\.\d+\.\d+)[+-]/;

/**
 * The folders of Pythons that these versions can do without. Where the very version of something is not there, the newest
 * with the same two first numbers runs it.
 */
export function unneededPythons(folders: readonly string[], versions: ReadonlySet<string>): string[] {
  const brought = folders.flatMap((name) => {
    const version = BROUGHT.exec(name)?.[1];
    return version === undefined ? [] : [{ name, version }];
  });
  const there = brought.map(({ version }) => version).toSorted(newestFirst);
  const kept = new Set(
    [...versions].map((version) =>
      there.includes(version) ? version : there.find((one) => minorOf(one) === minorOf(version)),
    ),
  );
  return brought.filter(({ version }) => !kept.has(version)).map(({ name }) => name);
}

/** Compares names that end in a version, such as 3.9.18 and 3.11.7. */
export const newestFirst = (one: string, other: string): number =>
  other.localeCompare(one, 'en', { numeric: true });

const minorOf = (version: string) => version.split('.').slice(0, 2).join('.');
