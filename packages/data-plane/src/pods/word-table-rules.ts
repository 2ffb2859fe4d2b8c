import type { PodTrouble, TroubleRow, WantedKeys } from './pod-trouble.ts';

const NO_KEYS: WantedKeys = () => [];

/** The first row that fits what is said. */
export function findTrouble(
  table: readonly TroubleRow[],
  said: string,
  { wanted = NO_KEYS }: { readonly wanted?: WantedKeys } = {},
): PodTrouble | undefined {
  for (const { words, code, sentence, passes = false } of table) {
    const found = words.exec(said);
    if (found !== null) return { code, sentence: sentence({ ...found.groups }, wanted), passes };
  }
  return undefined;
}
