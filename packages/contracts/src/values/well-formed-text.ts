import { z } from 'zod';

export const ILL_FORMED = 'must not contain NUL or half of a surrogate pair';

/**
 * Text that can be stored and sent on: PostgreSQL stores neither NUL nor half of a surrogate pair, and strict JSON
 * parsers refuse the latter. Every text of a request is one of these; in reports, text of programs is repaired instead
 * (`repaired-text.ts`).
 */
export const WellFormedText = z.string().refine(isWellFormed, ILL_FORMED);

export function isWellFormed(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

interface IssueSink {
  addIssue(issue: { code: 'custom'; path: (string | number)[]; message: string }): void;
}

function refuse(context: IssueSink, paths: readonly Path[]): void {
  for (const path of paths) context.addIssue({ code: 'custom', path: [...path], message: ILL_FORMED });
}

/** Anything that JSON holds, in which every text and every key is well-formed. */
export const JsonValue = z.unknown().superRefine((value, context) => {
  if (!isAllWellFormed(value)) refuse(context, illFormedPaths(value));
});

/** An object of any content, in which every text and every key is well-formed. It may be large: no copy is made of it. */
export const JsonObject = z
  .unknown()
  .superRefine((value, context) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      context.addIssue({
        code: 'invalid_type',
        expected: 'record',
        message: `Invalid input: expected record, received ${nameOf(value)}`,
      });
    else if (!isAllWellFormed(value)) refuse(context, Object.entries(value).flatMap(illFormedEntry));
  })
  .meta({
    type: 'object',
    propertyNames: { type: 'string' },
    additionalProperties: {},
  }) as unknown as z.ZodType<Record<string, unknown>>;

const nameOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

const illFormedEntry = ([key, inner]: [string, unknown]): Path[] =>
  isWellFormed(key) ? illFormedPaths(inner, [key]) : [[key]];

function isAllWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return isWellFormed(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isAllWellFormed);
  for (const key in value)
    if (!isWellFormed(key) || !isAllWellFormed((value as Readonly<Record<string, unknown>>)[key]))
      return false;
  return true;
}

type Path = readonly (string | number)[];

function illFormedPaths(value: unknown, at: Path = []): Path[] {
  if (typeof value === 'string') return isWellFormed(value) ? [] : [at];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => illFormedPaths(item, [...at, index]));
  return Object.entries(value).flatMap(([key, inner]) =>
    isWellFormed(key) ? illFormedPaths(inner, [...at, key]) : [at],
  );
}
