/**
 * Prompts as LangChain's `dumps` writes them, as messages that a person can edit. What is not understood is kept as it
 * is, so that an edit loses nothing.
 */

export type PromptRole = 'system' | 'user' | 'assistant';
export type PromptFormat = 'mustache' | 'f-string';

export type PromptEntry =
  | { readonly kind: 'message'; readonly role: PromptRole; readonly text: string }
  /** A place that a variable fills with messages. */
  | { readonly kind: 'placeholder'; readonly name: string; readonly is_optional: boolean }
  | { readonly kind: 'kept'; readonly value: unknown };

export interface EditablePrompt {
  readonly entries: readonly PromptEntry[];
  readonly format: PromptFormat;
  /** The form that the prompt asks of its answer: a JSON schema. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
}

type Loose = Readonly<Record<string, unknown>>;

const record = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const kwargs = (value: unknown): Loose => record(record(value)['kwargs']);
const nameOf = (value: unknown): string => String(list(record(value)['id']).at(-1));

const roleOfTemplate: Readonly<Record<string, PromptRole>> = {
  SystemMessagePromptTemplate: 'system',
  HumanMessagePromptTemplate: 'user',
  AIMessagePromptTemplate: 'assistant',
};
const templateOfRole: Readonly<Record<PromptRole, string>> = {
  system: 'SystemMessagePromptTemplate',
  user: 'HumanMessagePromptTemplate',
  assistant: 'AIMessagePromptTemplate',
};

/** The messages of a manifest; undefined where it holds none, as a file does. */
export function readManifest(manifest: unknown): EditablePrompt | undefined {
  const inner = promptWithin(manifest);
  if (nameOf(inner) === 'PromptTemplate') {
    const { template } = kwargs(inner);
    if (typeof template !== 'string') return undefined;
    return {
      entries: [{ kind: 'message', role: 'user', text: template }],
      format: formatOf(inner),
      schema: undefined,
    };
  }
  const { messages, schema_, schema } = kwargs(inner);
  if (!Array.isArray(messages)) return undefined;
  const formats = messages.map((one) => kwargs(one)['prompt']).filter((one) => kwargs(one)['template']);
  const format = formats.length === 0 ? 'mustache' : formatOf(formats[0]);
  return {
    entries: messages.map((one) => entryOf(one, format)),
    format,
    schema: schema_ === undefined && schema === undefined ? undefined : record(schema_ ?? schema),
  };
}

/** A prompt with its model is a sequence that begins with the prompt. */
function promptWithin(manifest: unknown): unknown {
  const { first } = kwargs(manifest);
  return nameOf(manifest) === 'RunnableSequence' && first !== undefined ? promptWithin(first) : manifest;
}

const formatOf = (template: unknown): PromptFormat =>
  kwargs(template)['template_format'] === 'mustache' ? 'mustache' : 'f-string';

function entryOf(given: unknown, format: PromptFormat): PromptEntry {
  const name = nameOf(given);
  const { prompt, variable_name, optional } = kwargs(given);
  if (name === 'MessagesPlaceholder' && typeof variable_name === 'string')
    return { kind: 'placeholder', name: variable_name, is_optional: optional === true };
  const role = roleOfTemplate[name];
  const { template } = kwargs(prompt);
  const isPlain = role !== undefined && typeof template === 'string' && formatOf(prompt) === format;
  return isPlain ? { kind: 'message', role, text: template } : { kind: 'kept', value: given };
}

/** Writes messages over a manifest, or over nothing: what else it holds stays. */
export function writeManifest(entries: readonly PromptEntry[], options: WriteOptions): unknown {
  const { format, over } = options;
  if (nameOf(over) === 'RunnableSequence')
    return {
      ...record(over),
      kwargs: { ...kwargs(over), first: writeManifest(entries, { format, over: kwargs(over)['first'] }) },
    };
  const fresh = constructed(['chat', 'ChatPromptTemplate'], {});
  const base = Array.isArray(kwargs(over)['messages']) ? record(over) : fresh;
  return {
    ...base,
    kwargs: {
      ...kwargs(base),
      messages: entries.map((entry) => written(entry, format)),
      input_variables: variablesOf(entries, format).map(({ name }) => name),
    },
  };
}

interface WriteOptions {
  readonly format: PromptFormat;
  readonly over?: unknown;
}

const constructed = (path: readonly string[], members: Loose) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'prompts', ...path],
  kwargs: members,
});

function written(entry: PromptEntry, format: PromptFormat): unknown {
  if (entry.kind === 'kept') return entry.value;
  if (entry.kind === 'placeholder')
    return constructed(['chat', 'MessagesPlaceholder'], {
      variable_name: entry.name,
      optional: entry.is_optional,
    });
  const prompt = constructed(['prompt', 'PromptTemplate'], {
    template: entry.text,
    template_format: format,
    input_variables: namesIn(entry.text, format),
  });
  return constructed(['chat', templateOfRole[entry.role]], { prompt });
}

export interface PromptVariable {
  readonly name: string;
  /** Whether it takes a list of messages. */
  readonly is_messages: boolean;
  readonly is_optional: boolean;
}

/** The variables that messages name, each once, in their order. */
export function variablesOf(
  entries: readonly PromptEntry[],
  format: PromptFormat,
): readonly PromptVariable[] {
  const found = new Map<string, PromptVariable>();
  const add = (one: PromptVariable) => {
    if (!found.has(one.name)) found.set(one.name, one);
  };
  for (const entry of entries) {
    if (entry.kind === 'placeholder')
      add({ name: entry.name, is_messages: true, is_optional: entry.is_optional });
    for (const name of entry.kind === 'placeholder' ? [] : namesIn(textOf(entry), format))
      add({ name, is_messages: false, is_optional: false });
  }
  return [...found.values()];
}

/** All templates within a message that is kept as it is. */
function textOf(entry: Exclude<PromptEntry, { readonly kind: 'placeholder' }>): string {
  if (entry.kind === 'message') return entry.text;
  const { prompt } = kwargs(entry.value);
  return [prompt, ...list(prompt)]
    .map((one) => kwargs(one)['template'])
    .map((one) => (typeof one === 'string' ? one : record(one)['url']))
    .filter((one) => typeof one === 'string')
    .join('\n');
}

const names: Readonly<Record<PromptFormat, RegExp>> = {
  // Sections name a variable too; what stands within one may be of that variable, which asks for no more here.
  mustache: /\{\{\{?\s*[#^&]?\s*([\w$-]+)(?:\.[\w.$-]+)?\s*\}?\}\}/g,
  'f-string': /(?<!\{)(?:\{\{)*\{([\w$-]+)(?:[.![:][^{}]*)?\}/g,
};

export const namesIn = (text: string, format: PromptFormat): readonly string[] => [
  ...new Set(Array.from(text.matchAll(names[format]), ([, name = '']) => name)),
];

/** A manifest as lines to compare. */
export function linesOf(manifest: unknown): string {
  const read = readManifest(manifest);
  if (read === undefined) return `${JSON.stringify(manifest, null, 2)}\n`;
  const parts = read.entries.map((entry) => {
    if (entry.kind === 'message') return `— ${entry.role}\n${entry.text}\n`;
    if (entry.kind === 'placeholder') return `— messages of "${entry.name}"\n`;
    return `— a message\n${JSON.stringify(entry.value, null, 2)}\n`;
  });
  const schema = read.schema === undefined ? [] : [`— schema\n${JSON.stringify(read.schema, null, 2)}\n`];
  return [...parts, ...schema].join('\n');
}
