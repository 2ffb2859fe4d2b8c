/** What a field told its form and has not got back yet: the form answers later than somebody types. */

/** So many texts wait to come back; a form that answers later than that has lost its turn. */
export const MOST_TOLD = 50;

export interface Echo {
  /** Whether the value is an older text of the field itself, which is newer than that by now. */
  readonly is_echo: boolean;
  /** What the field still waits for. */
  readonly told: readonly string[];
}

export function hear(told: readonly string[], value: string): Echo {
  const place = told.lastIndexOf(value);
  return place === -1 ? { is_echo: false, told: [] } : { is_echo: true, told: told.slice(place + 1) };
}
