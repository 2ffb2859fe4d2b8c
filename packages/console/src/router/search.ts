/** Reads what stands behind the `?` of an address, which anybody may have written. */
export type Search = Readonly<Record<string, unknown>>;

export const textIn = (search: Search, name: string): string | undefined => {
  const value = search[name];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export const numberIn = (search: Search, name: string): number | undefined => {
  const value = Number(search[name] ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
};

export const textsIn = (search: Search, name: string): readonly string[] | undefined => {
  const value = search[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined;
};

interface Choice<T extends string> {
  readonly name: string;
  readonly among: readonly T[];
}

/** One of a few words. */
export const oneOf = <const T extends string>(search: Search, { name, among }: Choice<T>): T | undefined =>
  among.find((one) => one === search[name]);

/** A time, where it can be read as one. */
export function instantIn(search: Search, name: string): string | undefined {
  const text = textIn(search, name);
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : text;
}
