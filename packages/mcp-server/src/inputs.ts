import { z } from 'zod';

/** Inputs as clients really send them: native values, or texts of them. What fits neither is refused. */

const fromText = (value: unknown): unknown => {
  if (value === null || value === '') return undefined;
  if (typeof value !== 'string') return value;
  if (/^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  return value;
};

const numberText = (value: unknown): unknown =>
  value === null
    ? undefined
    : typeof value === 'string' && /^-?\d+$/.test(value.trim())
      ? Number(value)
      : value;

export const flag = (doc: string) => z.preprocess(fromText, z.boolean().optional()).describe(doc);
export const text = (doc: string) =>
  z.preprocess((value) => value ?? undefined, z.string().optional()).describe(doc);
export const needed = (doc: string) => z.string().min(1).describe(doc);
export const whole = (
  doc: string,
  range: { readonly min?: number; readonly max?: number; readonly fallback: number },
) =>
  z
    .preprocess(
      numberText,
      z
        .number()
        .int()
        .min(range.min ?? Number.MIN_SAFE_INTEGER)
        .max(range.max ?? Number.MAX_SAFE_INTEGER)
        .default(range.fallback),
    )
    .describe(doc);

/** One name, a list of names, or the JSON text of a list. */
export function namesOf(value: string | readonly string[]): string[] {
  if (typeof value !== 'string') return [...value];
  if (!value.trim().startsWith('[')) return [value];
  const parsed = z.array(z.string()).safeParse(safeJson(value));
  if (!parsed.success)
    throw new z.ZodError([
      {
        code: 'custom',
        path: ['project_name'],
        message: 'is neither a name nor a JSON array of names',
        input: undefined,
      },
    ]);
  return parsed.data;
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export const pageInputs = {
  max_chars_per_page: whole('Characters that one page may have (at most 30000).', {
    min: 1000,
    fallback: 25_000,
  }),
  preview_chars: whole('Longer texts are cut to this many characters; 0 cuts nothing.', { fallback: 150 }),
};
