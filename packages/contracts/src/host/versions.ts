/** The versions of the host protocol that this code speaks. */
export const PROTOCOL_VERSIONS: readonly number[] = [1];

/** The version of a side that names none: the protocol had no versions before. */
const UNSAID: readonly number[] = [1];

/** The newest version that both sides speak. Each computes it by itself, since each knows both lists. */
export const sharedVersion = (
  ours: readonly number[],
  theirs: readonly number[] = UNSAID,
): number | undefined => ours.filter((version) => theirs.includes(version)).toSorted((a, b) => b - a)[0];

/** Two sides that share no version: nothing else of what they say to each other can be read. */
export class NoSharedVersion extends Error {
  override readonly name = 'NoSharedVersion';
}

/**
 * The versions in an answer to `describe`. This member keeps its shape in all versions, so that it is read before anything
 * else of the answer. Undefined where the answer has no such list.
 */
export function versionsOf(description: unknown): readonly number[] | undefined {
  if (typeof description !== 'object' || description === null) return undefined;
  const { protocol_versions } = description as { readonly protocol_versions?: unknown };
  const isList = Array.isArray(protocol_versions) && protocol_versions.every(Number.isSafeInteger);
  return isList ? (protocol_versions as readonly number[]) : undefined;
}

/** Why a host can't be used whose versions are others than those of the engine. */
export const noSharedVersion = (host: readonly number[], engine: readonly number[]): string =>
  `The graph host speaks ${named(host)} of the host protocol, and this engine ${named(engine)}.`;

const named = (versions: readonly number[]): string =>
  versions.length === 0 ? 'no version' : `version ${versions.join(', ')}`;
