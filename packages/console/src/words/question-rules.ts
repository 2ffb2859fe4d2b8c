import { isObject, textAt } from './object-rules.ts';
import { type Review, reviewOf } from './review-rules.ts';

/** Questions of graphs: what is asked, in which form a person answers, and what the answer is on the wire. */

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly kind: 'text' | 'long' | 'number' | 'boolean' | 'choice' | 'json';
  /** What may be chosen: each value as JSON, and how it is shown. */
  readonly options: readonly (readonly [json: string, label: string])[];
  readonly is_required: boolean;
  /** Whether it answers `null` where nothing is entered. */
  readonly is_nullable: boolean;
  readonly initial: string;
}

interface QuestionText {
  readonly asks: string;
  /** What is told beside the question, to be shown as it is. */
  readonly about: unknown;
}

export type Question = QuestionText &
  (
    | { readonly kind: 'text' }
    | {
        readonly kind: 'choice';
        readonly options: readonly { readonly label: string; readonly value: unknown }[];
      }
    /** `single` answers the value of its only field, without an object around it. */
    | { readonly kind: 'form'; readonly fields: readonly FormField[]; readonly single: boolean }
    | Review
  );

export interface OpenQuestion {
  readonly id: string;
  readonly value: unknown;
  readonly question: Question;
}

/** The open questions of a thread: a list, or lists by the task that asks. */
export function openQuestions(interrupts: unknown): readonly OpenQuestion[] {
  const all = Array.isArray(interrupts)
    ? interrupts
    : isObject(interrupts)
      ? Object.values(interrupts).flat()
      : [];
  return all.filter(isObject).map((one, index) => {
    const id = textAt(one, 'id') ?? textAt(one, 'interrupt_id') ?? String(index);
    return { id, value: one['value'], question: questionOf(one['value']) };
  });
}

interface GivenAnswer {
  readonly open: readonly OpenQuestion[];
  readonly answer: unknown;
}

/** What resumes a graph with an answer to one of its open questions; where there are several it names the one. */
export const resumeOf = ({ id }: OpenQuestion, { open, answer }: GivenAnswer): unknown =>
  open.length > 1 ? { [id]: answer } : answer;

export function questionOf(value: unknown): Question {
  if (typeof value === 'string') return { kind: 'text', asks: value, about: undefined };
  const review = reviewOf(Array.isArray(value) && value.length > 0 ? value : [value]);
  if (review !== undefined) return { ...review, about: undefined };
  if (!isObject(value))
    return { kind: 'text', asks: 'The graph waits for an answer', about: value ?? undefined };
  const { asks, about } = askedOf(value);
  const schema = schemaOf(value);
  if (schema !== undefined) return { ...formOf(schema), asks, about };
  const options = optionsOf(value);
  if (options !== undefined) return { kind: 'choice', options, asks, about };
  return { kind: 'text', asks, about };
}

const WORDS = ['question', 'message', 'prompt', 'ask', 'text', 'description', 'title', 'instruction'];
const SCHEMAS = [
  'schema',
  'response_schema',
  'responseSchema',
  'json_schema',
  'requestedSchema',
  'answer_schema',
];
const OPTIONS = ['options', 'choices', 'allowed_answers', 'enum'];

function askedOf(value: Readonly<Record<string, unknown>>): QuestionText {
  const name = WORDS.find((word) => textAt(value, word) !== undefined);
  const rest = Object.entries(value).filter(
    ([key]) => key !== name && ![...SCHEMAS, ...OPTIONS, 'type', 'properties', 'required'].includes(key),
  );
  return {
    asks: (name === undefined ? undefined : textAt(value, name)) ?? 'The graph waits for an answer',
    about: rest.length === 0 ? undefined : Object.fromEntries(rest),
  };
}

type Schema = Readonly<Record<string, unknown>>;

function schemaOf(value: Readonly<Record<string, unknown>>): Schema | undefined {
  const named = SCHEMAS.map((name) => value[name]).find(isObject);
  if (named !== undefined) return named;
  if (isObject(value['properties'])) return value;
  return ['boolean', 'number', 'integer'].includes(String(value['type'])) ? value : undefined;
}

function optionsOf(value: Readonly<Record<string, unknown>>) {
  const list = OPTIONS.map((name) => value[name]).find((found) => Array.isArray(found) && found.length > 0);
  if (!Array.isArray(list)) return undefined;
  return list.map((option: unknown) =>
    isObject(option)
      ? {
          label: textAt(option, 'label') ?? textAt(option, 'name') ?? JSON.stringify(option),
          value: option['value'] ?? option,
        }
      : { label: String(option), value: option },
  );
}

type Form = Pick<Extract<Question, { kind: 'form' }>, 'kind' | 'fields' | 'single'>;
type Choice = Pick<Extract<Question, { kind: 'choice' }>, 'kind' | 'options'>;

function formOf(schema: Schema): Form | Choice {
  const properties = schema['properties'];
  if (isObject(properties)) {
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    const fields = Object.entries(properties).map(([name, one]) =>
      fieldOf(isObject(one) ? one : {}, { name, is_required: required.includes(name) }),
    );
    return { kind: 'form', fields, single: false };
  }
  if (schema['type'] === 'boolean')
    return {
      kind: 'choice',
      options: [
        { label: 'Yes', value: true },
        { label: 'No', value: false },
      ],
    };
  const options = optionsOf(schema);
  if (options !== undefined) return { kind: 'choice', options };
  return { kind: 'form', fields: [fieldOf(schema, { name: 'answer', is_required: true })], single: true };
}

const kinds: Readonly<Record<string, FormField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};

function fieldOf(schema: Schema, { name, is_required }: Pick<FormField, 'name' | 'is_required'>): FormField {
  const { bare, is_nullable } = withoutNull(schema);
  const options = choicesOf(bare, is_nullable);
  const kind = options.length > 0 ? 'choice' : (kinds[String(bare['type'])] ?? 'json');
  const initial = bare['default'] ?? undefined;
  return {
    name,
    label: textAt(bare, 'title') ?? name.replaceAll('_', ' '),
    hint: textAt(bare, 'description'),
    kind,
    options,
    is_required: is_required && !is_nullable,
    is_nullable,
    initial:
      initial === undefined
        ? ''
        : typeof initial === 'string' && kind !== 'choice'
          ? initial
          : JSON.stringify(initial),
  };
}

const isNull = (schema: unknown) => isObject(schema) && schema['type'] === 'null';

/** What a schema allows beside `null`, which libraries write as one of several types or schemas. */
function withoutNull(schema: Schema): { readonly bare: Schema; readonly is_nullable: boolean } {
  const { type, anyOf, oneOf = anyOf, ...rest } = schema;
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== 'null');
    const bare = { ...schema, type: types.length === 1 ? types[0] : types };
    return { bare, is_nullable: types.length < type.length };
  }
  if (!Array.isArray(oneOf) || !oneOf.some(isNull)) return { bare: schema, is_nullable: false };
  const others = oneOf.filter((one) => !isNull(one));
  const [only] = others;
  const isOne = others.length === 1 && isObject(only);
  return { bare: isOne ? { ...only, ...rest } : { ...rest, oneOf: others }, is_nullable: true };
}

const YES_NO = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const;

/** A box can't be left empty: who may answer neither yes nor no chooses. */
function choicesOf(schema: Schema, is_nullable: boolean): FormField['options'] {
  const values = schema['enum'];
  if (!Array.isArray(values)) return is_nullable && schema['type'] === 'boolean' ? YES_NO : [];
  return values.filter((value) => value !== null).map((value) => [JSON.stringify(value), textOf(value)]);
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Fields to edit the arguments of an action, each as what it is. */
export const fieldsOfArgs = (args: Readonly<Record<string, unknown>>): readonly FormField[] =>
  Object.entries(args).map(([name, value]) => ({
    name,
    label: name.replaceAll('_', ' '),
    hint: undefined,
    kind: typeof value === 'string' ? 'long' : (kinds[typeof value] ?? 'json'),
    options: [],
    is_required: true,
    is_nullable: false,
    initial: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
  }));

export type FieldTexts = Readonly<Record<string, string>>;
export type Outcome = { readonly value: Readonly<Record<string, unknown>> } | { readonly faults: FieldTexts };

/** What somebody entered, as the values of its fields, or what is wrong with which. */
export function valuesOf(fields: readonly FormField[], entered: FieldTexts): Outcome {
  const faults: Record<string, string> = {};
  const value: Record<string, unknown> = {};
  for (const field of fields) {
    const text = entered[field.name] ?? field.initial;
    const fault = faultOf(field, text);
    if (fault !== undefined) faults[field.name] = fault;
    else if (text !== '' || field.kind === 'boolean' || (field.kind === 'long' && field.is_required))
      value[field.name] = parsers[field.kind](text);
    else if (field.is_nullable) value[field.name] = null;
  }
  return Object.keys(faults).length > 0 ? { faults } : { value };
}

const fromJson = (text: string) => JSON.parse(text) as unknown;

const parsers: Readonly<Record<FormField['kind'], (text: string) => unknown>> = {
  text: String,
  long: String,
  choice: fromJson,
  number: Number,
  boolean: (text) => text === 'true',
  json: fromJson,
};

function faultOf({ kind, label, is_required }: FormField, text: string): string | undefined {
  if (text === '')
    return is_required && kind !== 'boolean' && kind !== 'long' ? `Enter ${label}.` : undefined;
  if (kind === 'number' && !Number.isFinite(Number(text))) return 'Enter a number.';
  return kind === 'json' && !isJson(text) ? 'Enter JSON, such as "text", 1 or {"a": 1}.' : undefined;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
