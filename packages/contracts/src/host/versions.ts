/** The versions of the host protocol that this code speaks. */
export const PROTOCOL_VERSIONS: readonly number[] = [1];

/** What a side speaks that does not say it: the protocol had no versions before. */
const UNSAID: readonly number[] = [1];

/** The newest version that both sides speak. Each computes it by itself, since each knows both lists. */
export const sharedVersion = (
  ours: readonly number[],
  theirs: readonly number[] = UNSAID,
): number | undefined => ours.filter((version) => theirs.includes(version)).toSorted((a, b) => b - a)[0];

/** Why a host can't be used whose versions are others than those of the engine. */
export const noSharedVersion = (host: readonly number[], engine: readonly number[]): string =>
  `The graph host speaks ${named(host)} of the host protocol, and this engine ${named(engine)}.`;

const named = (versions: readonly number[]): string =>
  versions.length === 0 ? 'no version' : `version ${versions.join(', ')}`;
