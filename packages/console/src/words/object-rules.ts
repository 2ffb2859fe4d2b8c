/** Reads objects that anybody may have written. */

export type RawObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is RawObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const textAt = (value: unknown, name: string): string | undefined => {
  const found = isObject(value) ? value[name] : undefined;
  return typeof found === 'string' && found !== '' ? found : undefined;
};
