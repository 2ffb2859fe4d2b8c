import { z } from 'zod';

export const ILL_FORMED = 'must not contain NUL or half of a surrogate pair';

/**
 * Text that can be stored and sent on: PostgreSQL holds neither NUL nor half of a surrogate pair, and strict JSON parsers
 * refuse the latter. Every text of a request is one of these; what a report brings from programs is repaired instead
 * (`repaired-text.ts`).
 */
export const WellFormedText = z.string().refine(isWellFormed, ILL_FORMED);

export function isWellFormed(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Anything that JSON holds, in which every text and every key is well-formed. */
export const JsonValue = z.unknown().superRefine((value, context) => {
  for (const path of illFormedPaths(value))
    context.addIssue({ code: 'custom', path: [...path], message: ILL_FORMED });
});

/** An object of any content, in which every text and every key is well-formed. */
export const JsonObject = z.record(WellFormedText, JsonValue);

type Path = readonly (string | number)[];

function illFormedPaths(value: unknown, at: Path = []): Path[] {
  if (typeof value === 'string') return isWellFormed(value) ? [] : [at];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => illFormedPaths(item, [...at, index]));
  return Object.entries(value).flatMap(([key, inner]) =>
    isWellFormed(key) ? illFormedPaths(inner, [...at, key]) : [at],
  );
}
