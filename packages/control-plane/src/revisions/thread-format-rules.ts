import type { Manifest } from '@roadstead/contracts/host';

/** Decides whether a revision can read the threads that others of its deployment have written. Pure. */

type Reader = Pick<Manifest, 'langgraph_version' | 'langgraph_py_version' | 'stores_deltas'>;

/** For each language its package, the first version that reads channels stored as differences, and a revision's own version. */
const READERS = [
  {
    name: '@langchain/langgraph',
    reads_deltas: [1, 5, 1],
    versionOf: ({ langgraph_version }: Reader) => langgraph_version,
  },
  {
    name: 'langgraph',
    reads_deltas: [1, 2, 0],
    versionOf: ({ langgraph_py_version }: Reader) => langgraph_py_version,
  },
] as const;

/**
 * A sentence where it would read channels that were stored as differences as empty: its graph stores them whole, by a LangGraph
 * that knows no differences. A revision whose host reported no version counts as able to read them.
 */
export function unreadableBy(
  reader: Reader | null,
  { deltas_were_stored }: { readonly deltas_were_stored: boolean },
): string | undefined {
  if (!deltas_were_stored || reader === null || reader.stores_deltas === true) return undefined;
  for (const { name, reads_deltas, versionOf } of READERS) {
    const version = versionOf(reader) ?? undefined;
    if (version === undefined || !isBefore(version, reads_deltas)) continue;
    return (
      `A newer revision stores messages of threads as differences, which ${name} ${version} of this revision ` +
      `does not read (${reads_deltas.join('.')} does): it would show these threads as empty, and go on from there.`
    );
  }
  return undefined;
}

/** Compares major, minor and patch; a version in another notation is never before. */
function isBefore(version: string, first: readonly number[]): boolean {
  const numbers = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  const at = numbers?.findIndex((number, index) => number !== first[index]) ?? -1;
  return at >= 0 && (numbers?.[at] ?? 0) < (first[at] ?? 0);
}
