import { z } from 'zod';

/** Query parameters are strings, or lists of strings where repeated; these read them. */

export const queryInt = (range: { min?: number; max?: number; fallback: number }) =>
  z.coerce
    .number()
    .int()
    .min(range.min ?? 0)
    .max(range.max ?? Number.MAX_SAFE_INTEGER)
    .default(range.fallback);

export const queryFlag = z
  .enum(['true', 'false', '1', '0', 'True', 'False'])
  .transform((text) => ['true', '1', 'True'].includes(text));

/** One of a few words in capitals, which some clients write in small letters. */
export const anyCase = <const W extends readonly [string, ...string[]]>(words: W) =>
  z
    .enum([...words, ...words.map((word) => word.toLowerCase())])
    .transform((word) => word.toUpperCase() as W[number]);

/** `a=1&a=2`, `a=1,2` and `a=1` all mean a list. */
export const queryList = <T extends z.ZodType>(item: T) =>
  z.preprocess(
    (value) =>
      (Array.isArray(value) ? value : [value]).flatMap((part) =>
        typeof part === 'string' ? part.split(',').filter((piece) => piece !== '') : [part],
      ),
    z.array(item),
  );

/** A list only where the parameter is repeated: its values may hold commas. */
export const queryTexts = <T extends z.ZodType>(item: T) =>
  z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item));

/** A list that filters or selects, in a query or a body: an empty one counts as absent. */
export const filterBy = <T extends z.ZodType<readonly unknown[] | null>>(list: T) =>
  list
    .transform((given) =>
      given === null || given.length === 0 ? undefined : (given as NonNullable<z.output<T>>),
    )
    .optional();

export const Timestamp = z.iso.datetime({ offset: true }).meta({ id: 'Timestamp' });
export const Uuid = z.guid().meta({ id: 'Uuid' });

/** The names of the query parameters that an endpoint knows. */
export function parameterNames(query: z.ZodType | undefined): readonly string[] {
  return query instanceof z.ZodObject ? Object.keys(query.shape) : [];
}
