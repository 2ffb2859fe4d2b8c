import { z } from 'zod';
import { isWellFormed } from '@roadstead/contracts';
import { type Issue, Problem } from '@roadstead/kit';
import { DEFAULT_CHARS, DEFAULT_PREVIEW, MIN_CHARS } from '../paging/pagination-rules.ts';

/**
 * Inputs as clients really send them: native values, or texts of them; null and, where an input may be absent, an empty
 * text mean absent. What fits neither is refused by name. The schema that is published has native types without unions.
 */

const given = (value: unknown) => value ?? undefined;
const filled = (value: unknown) => (value === '' ? undefined : given(value));

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };
const asBoolean = (value: unknown) =>
  typeof value === 'string' ? (booleans[value.trim().toLowerCase()] ?? filled(value)) : given(value);
const asNumber = (value: unknown) =>
  typeof value === 'string' && /^\s*[-+]?\d+(\.0*)?\s*$/.test(value) ? Number(value) : filled(value);
/** Ids that are all digits arrive as numbers from some clients. */
const asText = (value: unknown) => (Number.isSafeInteger(value) ? String(value) : value);

/** A boolean, or absent. */
export const flag = (doc: string) =>
  z.preprocess(asBoolean, z.boolean({ error: 'must be true or false' }).optional()).describe(doc);

const MAX_LENGTH = 1000;
const sane = z
  .string({ error: 'must be a text' })
  .max(MAX_LENGTH, `is longer than ${MAX_LENGTH} characters`)
  .refine(isWellFormed, 'must not contain NUL or half of a surrogate pair');

/** A text, or absent. */
export const text = (doc: string) =>
  z.preprocess((value) => asText(filled(value)), sane.optional()).describe(doc);

/** A text that must be there. */
export const requiredText = (doc: string) =>
  z.preprocess((value) => asText(given(value)), sane.min(1, 'must not be empty')).describe(doc);

/** One of a few words, whatever their case; or absent. */
export const word = <const W extends readonly string[]>(words: W, doc: string) =>
  z
    .preprocess(
      (value) => {
        const said = filled(value);
        return typeof said === 'string' ? said.trim().toLowerCase() : said;
      },
      z.enum(words, { error: `must be one of ${words.join(', ')}` }).optional(),
    )
    .describe(doc);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A uuid, or absent; published as plain text, since strict clients refuse formats. */
export const uuid = (doc: string) =>
  z
    .preprocess(
      filled,
      z
        .string({ error: 'must be a uuid' })
        .refine((id) => UUID.test(id.trim()), 'must be a uuid')
        .transform((id) => id.trim().toLowerCase())
        .optional(),
    )
    .describe(doc);

const INSTANT = z.iso.datetime({ offset: true, local: true });

/** A time as ISO 8601 text, or absent. */
export const instant = (doc: string) =>
  z
    .preprocess(
      filled,
      z
        .string({ error: 'must be a text' })
        .refine((at) => INSTANT.safeParse(at.trim()).success, 'must be a time such as 2026-01-31T09:00:00Z')
        .transform((at) => at.trim())
        .optional(),
    )
    .describe(doc);

interface Whole {
  readonly min?: number;
  readonly doc: string;
}

const wholeNumber = ({ min }: Pick<Whole, 'min'>) => {
  const number = z.number({ error: 'must be a whole number' }).int('must be a whole number');
  return min === undefined ? number : number.min(min, `must be ${min} or more`);
};

/** A whole number that must be there. */
export const requiredWhole = ({ doc, ...range }: Whole) =>
  z.preprocess(asNumber, wholeNumber(range)).describe(doc);

/** A whole number, `fallback` when absent. */
export const whole = ({ doc, fallback, ...range }: Whole & { readonly fallback: number }) =>
  z.preprocess(asNumber, wholeNumber(range).default(fallback)).describe(doc);

const MAX_NAMES = 20;
const MAX_NAMES_LENGTH = 30_000;
const Name = sane.min(1, 'must not be empty');
const Names = z.array(Name).min(1).max(MAX_NAMES);

/** One name, a JSON array of names as text, or a list of names; published as text. */
export const names = (doc: string) =>
  z
    .preprocess(
      (value) => (Array.isArray(value) ? JSON.stringify(value) : asText(given(value))),
      z
        .string({ error: 'must be a text' })
        .max(MAX_NAMES_LENGTH, `is longer than ${MAX_NAMES_LENGTH} characters`)
        .transform((said, context): string[] => {
          const isList = said.trimStart().startsWith('[');
          const read = isList ? Names.safeParse(parsed(said)) : Name.safeParse(said);
          if (read.success) return [...new Set([read.data].flat())];
          const [issue] = read.error.issues;
          const isName = !isList || (issue?.path.length ?? 0) > 0;
          context.addIssue(
            isName && issue?.code !== 'invalid_type' && issue !== undefined
              ? issue.message
              : `must be a name, or a JSON array of 1 to ${MAX_NAMES} names`,
          );
          return z.NEVER;
        }),
    )
    .describe(doc);

function parsed(said: string): unknown {
  try {
    return JSON.parse(said) as unknown;
  } catch {
    return undefined;
  }
}

/** The inputs of every paginated tool. */
export const pageInputs = {
  max_chars_per_page: whole({
    min: MIN_CHARS,
    fallback: DEFAULT_CHARS,
    doc: 'Most characters in the answer; above 30000 it is 30000.',
  }),
  preview_chars: whole({
    fallback: DEFAULT_PREVIEW,
    doc: 'Longer texts are cut to this many characters and end in "... (+N chars)"; 0 cuts none.',
  }),
};

/**
 * The arguments of a call, read by a tool's schema.
 * @throws Problem `malformed` that names every input in fault, without its value
 */
export function readInput<S extends z.ZodType>(schema: S, sent: unknown): z.output<S> {
  const result = schema.safeParse(withoutNulls(sent));
  if (result.success) return result.data;
  const issues = result.error.issues.flatMap((issue) => issuesOf(issue, sent));
  throw new Problem('malformed', 'Inputs are wrong.', {
    issues,
    hint: 'Correct what is named and call again; the tool’s input schema lists its inputs.',
  });
}

function issuesOf(issue: z.core.$ZodIssue, sent: unknown): Issue[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => fault(key.slice(0, 60), 'is no input of this tool'));
  const [name = 'arguments'] = issue.path.map(String);
  const value = (sent as Readonly<Record<string, unknown>> | undefined)?.[name];
  return [fault(name, value === undefined || value === null ? 'is required' : issue.message)];
}

const fault = (name: string, msg: string): Issue => ({ loc: [name], msg, type: 'value_error' });

/** Clients that fill in every input send null for those that they leave out, also for ones of other versions. */
function withoutNulls(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent ?? {};
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
}
