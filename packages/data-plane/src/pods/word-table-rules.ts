import type { PodTrouble, TroubleRow } from './pod-trouble.ts';

/** The first row that fits what is said. */
export function findTrouble(table: readonly TroubleRow[], said: string): PodTrouble | undefined {
  for (const { words, code, sentence, passes = false } of table) {
    const found = words.exec(said);
    if (found !== null) return { code, sentence: sentence({ ...found.groups }), passes };
  }
  return undefined;
}
