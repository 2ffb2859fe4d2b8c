/** Reads what others wrote, of which nothing is sure. */

export type Free = Readonly<Record<string, unknown>>;

export const record = (value: unknown): Free =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Free) : {};
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const optionalText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
export const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;

/** Without members that say nothing. */
export const said = (members: Free): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
