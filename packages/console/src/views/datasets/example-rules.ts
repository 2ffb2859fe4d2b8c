/** The splits of an example, which its metadata names. */

interface WithMetadata {
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export function splitsOf({ metadata }: WithMetadata): readonly string[] {
  const splits = metadata?.['dataset_split'];
  if (typeof splits === 'string') return [splits];
  return Array.isArray(splits) ? splits.filter((one) => typeof one === 'string') : [];
}

/** The metadata beside the splits; null where there is none. */
export function ownMetadata({ metadata }: WithMetadata): Readonly<Record<string, unknown>> | null {
  const { dataset_split: _splits, ...own } = metadata ?? {};
  return Object.keys(own).length === 0 ? null : own;
}

/** The names in a text with commas. */
export const namesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

type Texts = Readonly<Record<string, string>>;

/** Whether any text is another one. */
export const differs = (one: Texts, other: Texts): boolean =>
  Object.keys(one).some((name) => one[name] !== other[name]);

interface Place {
  readonly pathname: string;
  readonly search: unknown;
}

/** Whether an example is no longer open at the next place as it is at the current one. */
export function leavesExample(current: Place, next: Place): boolean {
  const searches = [current, next].map(({ search }) => (search ?? {}) as Readonly<Record<string, unknown>>);
  const isOther = (name: string) => searches[0]?.[name] !== searches[1]?.[name];
  return current.pathname !== next.pathname || ['example', 'version', 'tab'].some(isOther);
}
