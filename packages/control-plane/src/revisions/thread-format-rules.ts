import type { Manifest } from '@roadstead/contracts/host';

/** Decides whether a revision can read the threads that others of its deployment have written. Pure. */

/** The first version of LangGraph that reads channels stored as differences where its graph stores them whole. */
const READS_DELTAS = [1, 5, 1] as const;

/**
 * A sentence where it would read them as empty; a revision whose host reported no version counts as able to read
 * them.
 */
export function unreadableBy(
  reader: Pick<Manifest, 'langgraph_version' | 'stores_deltas'> | null,
  { deltas_were_stored }: { readonly deltas_were_stored: boolean },
): string | undefined {
  const version = reader?.langgraph_version ?? null;
  if (!deltas_were_stored || version === null || reader?.stores_deltas === true) return undefined;
  if (!isBefore(version, READS_DELTAS)) return undefined;
  return (
    `A newer revision stores messages of threads as differences, which @langchain/langgraph ${version} of this revision ` +
    `does not read (${READS_DELTAS.join('.')} does): it would show these threads as empty, and go on from there.`
  );
}

/** Compares major, minor and patch; a version in another notation is never before. */
function isBefore(version: string, first: readonly number[]): boolean {
  const numbers = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  const at = numbers?.findIndex((number, index) => number !== first[index]) ?? -1;
  return at >= 0 && (numbers?.[at] ?? 0) < (first[at] ?? 0);
}
