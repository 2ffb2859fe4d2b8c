import { z } from 'zod';
import { isWellFormed } from '@roadstead/contracts';
import { fewOf, type Issue, Problem } from '@roadstead/kit';
import { DEFAULT_CHARS, DEFAULT_PREVIEW, MIN_CHARS } from '../paging/pagination-rules.ts';

/**
 * Parses inputs as clients really send them: native values, or texts of them; null and, where an input may be absent,
 * an empty text mean absent. Any other value is refused by name. The published schema has native types without
 * unions.
 */

const given = (value: unknown) => value ?? undefined;
const filled = (value: unknown) => (value === '' ? undefined : given(value));

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };
const asBoolean = (value: unknown) =>
  typeof value === 'string' ? (booleans[value.trim().toLowerCase()] ?? filled(value)) : given(value);
const asNumber = (value: unknown) =>
  typeof value === 'string' && /^\s*[-+]?\d+(\.0*)?\s*$/.test(value) ? Number(value) : filled(value);
/** Some clients send ids that are all digits as numbers. */
const asText = (value: unknown) => (Number.isSafeInteger(value) ? String(value) : value);

const Boolean_ = z.boolean({ error: 'must be true or false' });

/** A boolean, or absent. */
export const flag = (doc: string) => z.preprocess(asBoolean, Boolean_.optional()).describe(doc);

/** A boolean, `fallback` when absent. */
export const flagOr = (fallback: boolean, doc: string) =>
  z.preprocess(asBoolean, Boolean_.default(fallback)).describe(doc);

const MAX_LENGTH = 1000;
const ILL_FORMED = 'must not contain NUL or half of a surrogate pair';
const textUpTo = (most: number) =>
  z
    .string({ error: 'must be a text' })
    .max(most, `is longer than ${most} characters`)
    .refine(isWellFormed, ILL_FORMED);
const sane = textUpTo(MAX_LENGTH);

/** A text of at most `most` characters, or absent. */
export const text = (doc: string, most = MAX_LENGTH) =>
  z.preprocess((value) => asText(filled(value)), textUpTo(most).optional()).describe(doc);

/** A required text of at most `most` characters. */
export const requiredText = (doc: string, most = MAX_LENGTH) =>
  z.preprocess((value) => asText(given(value)), textUpTo(most).min(1, 'must not be empty')).describe(doc);

/** One of a few words, in any case; or absent. */
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
const Uuid = z
  .string({ error: 'must be a uuid' })
  .refine((id) => UUID.test(id.trim()), 'must be a uuid')
  .transform((id) => id.trim().toLowerCase());

/** A uuid, or absent; published as plain text, since strict clients refuse formats. */
export const uuid = (doc: string) => z.preprocess(filled, Uuid.optional()).describe(doc);

/** A required uuid. */
export const requiredUuid = (doc: string) => z.preprocess(given, Uuid).describe(doc);

const INSTANT = z.iso.datetime({ offset: true, local: true });
const DATE = z.iso.date();

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

/** A required time, or a day, which means its midnight UTC. */
export const requiredDay = (doc: string) =>
  z
    .preprocess(
      given,
      z
        .string({ error: 'must be a text' })
        .transform((at) => (DATE.safeParse(at.trim()).success ? `${at.trim()}T00:00:00Z` : at.trim()))
        .refine(
          (at) => INSTANT.safeParse(at).success,
          'must be a day such as 2026-01-31, or a time such as 2026-01-31T09:00:00Z',
        ),
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

/** A required whole number. */
export const requiredWhole = ({ doc, ...range }: Whole) =>
  z.preprocess(asNumber, wholeNumber(range)).describe(doc);

/** A whole number, `fallback` when absent. */
export const whole = ({ doc, fallback, ...range }: Whole & { readonly fallback: number }) =>
  z.preprocess(asNumber, wholeNumber(range).default(fallback)).describe(doc);

/** A whole number, or absent. */
export const wholeOrNone = ({ doc, ...range }: Whole) =>
  z.preprocess(asNumber, wholeNumber(range).optional()).describe(doc);

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

const MAX_ITEMS = 100;
const MAX_JSON_LENGTH = 100_000;

/** The value of a JSON text, null being absent; a text that is no JSON stays, to be refused. */
const fromJson = (said: string) => {
  const read = parsed(said);
  return read === undefined ? said : given(read);
};

/** A list, or its JSON as text; a text that begins otherwise is the list's only item. */
function asList(value: unknown): unknown {
  const said = asText(filled(value));
  if (typeof said !== 'string') return said;
  return said.trimStart().startsWith('[') ? fromJson(said) : [said];
}

const listOf = <Item extends z.ZodType>(item: Item, what: string) =>
  z
    .array(item, { error: `must be a list of ${what}, or its JSON as text` })
    .refine((items) => items.length > 0, 'must not be empty; leave it out where it is not needed')
    .refine((items) => items.length <= MAX_ITEMS, `has more than ${MAX_ITEMS} items`);
const Texts = listOf(z.preprocess(asText, Name), 'texts');
const Uuids = listOf(Uuid, 'uuids');

/** A list of texts, its JSON as text, or one text; or absent. */
export const texts = (doc: string) => z.preprocess(asList, Texts.optional()).describe(doc);

/** A list of uuids, its JSON as text, or one uuid; or absent. */
export const uuids = (doc: string) => z.preprocess(asList, Uuids.optional()).describe(doc);

const asJson = (value: unknown, context: z.RefinementCtx) => {
  const said = filled(value);
  const json = typeof said === 'string' ? fromJson(said) : said;
  // Zod drops it silently.
  if ([json].flat().some((one) => typeof one === 'object' && one !== null && Object.hasOwn(one, '__proto__')))
    context.addIssue('must have no member named __proto__');
  return json;
};
const JsonObject_ = z.looseObject({}, { error: 'must be a JSON object, or its text' });

/** The fault of a value, if any; one that is nested too deeply to be written as JSON is too long as well. */
function faultOf(value: unknown): string | undefined {
  let wellFormed = true;
  const look = (key: string, inner: unknown) => {
    wellFormed &&= isWellFormed(key) && (typeof inner !== 'string' || isWellFormed(inner));
    return inner;
  };
  try {
    if (JSON.stringify(value, look).length <= MAX_JSON_LENGTH) return wellFormed ? undefined : ILL_FORMED;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return `is longer than ${MAX_JSON_LENGTH} characters or nested too deeply`;
}

const bounded = <Json extends z.ZodType>(json: Json) =>
  json.superRefine((value, context) => {
    const fault = faultOf(value);
    if (fault !== undefined) context.addIssue(fault);
  });

/** A JSON object or its text, or absent. */
export const object = (doc: string) => z.preprocess(asJson, bounded(JsonObject_).optional()).describe(doc);

/** A list of JSON objects or its JSON as text, or absent. */
export const objects = (doc: string) =>
  z.preprocess(asJson, bounded(listOf(JsonObject_, 'JSON objects')).optional()).describe(doc);

/** The inputs of every paginated tool. */
export const pageInputs = {
  max_chars_per_page: whole({
    min: MIN_CHARS,
    fallback: DEFAULT_CHARS,
    doc: 'Most characters of the answer, up to 30000.',
  }),
  preview_chars: whole({
    fallback: DEFAULT_PREVIEW,
    doc: 'Where texts are cut; 0: nowhere.',
  }),
};

/**
 * The arguments of a call, parsed by a tool's schema.
 * @throws Problem `malformed` that names the faulty one, without its value
 */
export function readInput<S extends z.ZodType>(schema: S, sent: unknown): z.output<S> {
  const result = schema.safeParse(withoutNulls(sent));
  if (result.success) return result.data;
  const issues = fewOf(result.error.issues, (issue) => issuesOf(issue, sent));
  throw new Problem('malformed', 'Inputs are wrong.', {
    issues,
    hint: 'Correct what is named and call again; the tool’s input schema lists its inputs.',
  });
}

function issuesOf(issue: z.core.$ZodIssue, sent: unknown): Issue[] {
  if (issue.code === 'unrecognized_keys')
    return fewOf(issue.keys, (key) => [fault(key.slice(0, 60), 'is no input of this tool')]);
  const [name = 'arguments', at] = issue.path.map(String);
  const value = (sent as Readonly<Record<string, unknown>> | undefined)?.[name];
  if (value === undefined || value === null) return [fault(name, 'is required')];
  return [fault(at === undefined ? name : `${name}[${at}]`, issue.message)];
}

const fault = (name: string, msg: string): Issue => ({ loc: [name], msg, type: 'value_error' });

/** Clients that fill in every input send null for those that they leave out, also for inputs of other versions. */
function withoutNulls(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent ?? {};
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
}
