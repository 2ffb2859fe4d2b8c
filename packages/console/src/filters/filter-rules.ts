/** What helps to write the filter language: what may come next, and where a mistake is. Pure. */

type FieldKind = 'text' | 'uuid' | 'number' | 'instant' | 'duration' | 'boolean' | 'tags' | 'object';

const runTypes = ['tool', 'chain', 'llm', 'retriever', 'embedding', 'prompt', 'parser'];

/** The fields of runs that people filter by. */
const filterFields: Readonly<Record<string, FieldKind>> = {
  name: 'text',
  run_type: 'text',
  model: 'text',
  status: 'text',
  error: 'text',
  latency: 'duration',
  start_time: 'instant',
  end_time: 'instant',
  first_token_time: 'instant',
  total_tokens: 'number',
  prompt_tokens: 'number',
  completion_tokens: 'number',
  total_cost: 'number',
  tags: 'tags',
  metadata: 'object',
  metadata_key: 'text',
  metadata_value: 'text',
  inputs: 'object',
  input_key: 'text',
  input_value: 'text',
  outputs: 'object',
  output_key: 'text',
  output_value: 'text',
  feedback_key: 'text',
  feedback_score: 'number',
  feedback_comment: 'text',
  thread_id: 'text',
  is_root: 'boolean',
  id: 'uuid',
  trace_id: 'uuid',
  parent_run_id: 'uuid',
  reference_example: 'uuid',
};

const ordered = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in'];
const comparatorsOf: Readonly<Record<FieldKind, readonly string[]>> = {
  text: [...ordered, 'like', 'notlike'],
  uuid: ['eq', 'neq', 'in'],
  number: ordered,
  instant: ordered,
  duration: ordered,
  boolean: ['eq', 'neq'],
  tags: ['has', 'in', 'eq', 'neq', 'like', 'notlike'],
  object: ['has', 'exists', 'eq', 'neq', 'like', 'notlike'],
};

const operators: readonly (readonly [name: string, detail: string])[] = [
  ['eq', 'is'],
  ['neq', 'is not'],
  ['gt', 'is more than'],
  ['gte', 'is at least'],
  ['lt', 'is less than'],
  ['lte', 'is at most'],
  ['in', 'is one of a list'],
  ['has', 'has a tag, or members'],
  ['like', 'matches a pattern with %'],
  ['notlike', 'matches no pattern'],
  ['exists', 'has a key'],
  ['search', 'has these words'],
  ['and', 'all of these'],
  ['or', 'any of these'],
  ['not', 'not this'],
];
const logicals = new Set(['and', 'or', 'not']);

const choices: Readonly<Record<string, readonly string[]>> = {
  run_type: runTypes.map((type) => `"${type}"`),
  status: ['"success"', '"error"', '"pending"'],
  is_root: ['true', 'false'],
  latency: ['"1s"', '"5s"', '"30s"', '"1m"'],
};

interface Suggestion {
  readonly label: string;
  readonly detail?: string;
  /** What is written in place of the label. */
  readonly apply?: string;
}

export type Completion =
  | { readonly kind: 'words'; readonly from: number; readonly options: readonly Suggestion[] }
  /** Values of this field, which the server knows. */
  | { readonly kind: 'values'; readonly from: number; readonly field: string };

interface Call {
  readonly name: string;
  /** The texts of the arguments so far; the last is the one that is being written. */
  readonly parts: string[];
}

interface Place {
  readonly calls: readonly Call[];
  /** Where the word or the text that is being written begins. */
  readonly from: number;
}

/** Reads up to the caret: which calls are open, and what is being written. */
function placeAt(text: string, caret: number): Place {
  const calls: Call[] = [];
  let [word, from, quote] = ['', 0, ''];
  for (let at = 0; at < caret; at += 1) {
    const character = text[at] ?? '';
    const call = calls.at(-1);
    if (quote === '' && character === '(') {
      calls.push({ name: word, parts: [''] });
      [word, from] = ['', at + 1];
      continue;
    }
    if (quote === '' && (character === ')' || character === ']')) {
      if (character === ')') calls.pop();
      [word, from] = ['', at + 1];
      continue;
    }
    if (quote === '' && character === ',') call?.parts.push('');
    else if (call !== undefined) call.parts[call.parts.length - 1] += character;
    if (quote !== '') {
      if (character === quote) [quote, word, from] = ['', '', at + 1];
    } else if (character === '"' || character === "'") [quote, word, from] = [character, '', at];
    else if (/[\w.-]/.test(character)) word += character;
    else [word, from] = ['', at + 1];
  }
  return { calls, from };
}

/** What may come at the caret. */
export function completionAt(text: string, caret: number): Completion | undefined {
  const { calls, from } = placeAt(text, caret);
  const call = calls.at(-1);
  if (call === undefined || logicals.has(call.name))
    return { kind: 'words', from, options: operators.map(operatorSuggestion) };
  if (call.parts.length === 1)
    return call.name === 'search' ? undefined : { kind: 'words', from, options: fieldsFor(call.name) };
  const field = call.parts[0]?.trim() ?? '';
  const known = choices[field];
  return known === undefined
    ? { kind: 'values', from, field }
    : { kind: 'words', from, options: known.map((label) => ({ label })) };
}

const operatorSuggestion = ([name, detail]: (typeof operators)[number]): Suggestion => ({
  label: name,
  detail,
  apply: `${name}(`,
});

const fieldsFor = (comparator: string): readonly Suggestion[] =>
  Object.entries(filterFields)
    .filter(([, kind]) => comparatorsOf[kind].includes(comparator))
    .map(([label, kind]) => ({ label, detail: kind, apply: kind === 'object' ? `${label}.` : `${label}, ` }));

export interface Mistake {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** The place that a refusal names: ``… is wrong at line 2, character 8: …``. */
export function mistakeIn(text: string, message: string): Mistake {
  const [, line, column] = / at (?:line (\d+), )?character (\d+)/.exec(message) ?? [];
  const said = message.replace(/^`\w+` is wrong at [^:]*: /, '');
  if (column === undefined) return { from: 0, to: text.length, message: said };
  const before = text.split('\n').slice(0, Number(line ?? 1) - 1);
  const from = Math.min(
    text.length,
    before.reduce((sum, one) => sum + one.length + 1, 0) + Number(column) - 1,
  );
  const word = /^(?:"[^"]*"?|[\w.-]+|.)/s.exec(text.slice(from))?.[0] ?? '';
  return { from, to: from + word.length, message: said.charAt(0).toUpperCase() + said.slice(1) };
}

/** A filter that also asks for this; an empty one is it alone. */
export const narrowedBy = (filter: string | undefined, condition: string): string =>
  filter === undefined || filter.trim() === ''
    ? condition
    : `and(${filter.includes('#') ? `${filter}\n` : filter}, ${condition})`;
