import type { Choice } from '../api/choice-source.ts';

/** Options of a field that chooses one of many by its name. */

interface ChoiceNow {
  /** Empty where none is chosen. */
  readonly id: string;
  /** Null where there is none of this id; undefined where it is not known yet. */
  readonly name: string | null | undefined;
}

/** Offers what is found, and the chosen one in any case: a field that leaves it out would show another. */
export function optionsOf(
  found: readonly Choice[],
  chosen: ChoiceNow,
): readonly (readonly [id: string, name: string])[] {
  const options = found.map(({ id, name }) => [id, name] as const);
  if (chosen.id === '' || found.some(({ id }) => id === chosen.id)) return options;
  return [[chosen.id, chosen.name ?? chosen.id], ...options];
}
