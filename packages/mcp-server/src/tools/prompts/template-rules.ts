/**
 * A prompt's template for a reader: who says what. LangChain's serialized form of a prompt (`{lc, type, id, kwargs}`)
 * is read as data; nothing is instantiated.
 */

interface TemplateMessage {
  /** `system`, `human`, `ai`, `tool`, a custom role, or `placeholder` for messages that are filled in. */
  readonly role: string;
  readonly [member: string]: unknown;
}

export interface Template {
  /** The name of its class, such as ChatPromptTemplate. */
  readonly type: string;
  readonly messages?: readonly TemplateMessage[];
  /** The template of a prompt that is a single text. */
  readonly template?: unknown;
  readonly [member: string]: unknown;
}

interface SerializedObject {
  readonly type: string;
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/** Undefined where this prompt is not understood; its manifest is then shown unchanged. */
export function templateOf(manifest: unknown): Template | undefined {
  const prompt = promptIn(manifest);
  if (prompt === undefined) return undefined;
  const { type, kwargs } = prompt;
  if (Array.isArray(kwargs['messages'])) {
    const messages = kwargs['messages'].map(messageOf);
    if (messages.includes(undefined)) return undefined;
    return { type, messages: messages as TemplateMessage[], ...rest(kwargs, ['messages']) };
  }
  return typeof kwargs['template'] === 'string' ? { type, ...rest(kwargs, []) } : undefined;
}

/** A prompt is alone, or before its model in a sequence. */
function promptIn(manifest: unknown): SerializedObject | undefined {
  const found = written(manifest);
  return found?.kwargs['first'] === undefined ? found : written(found.kwargs['first']);
}

function written(value: unknown): SerializedObject | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, kwargs } = value as { readonly id?: unknown; readonly kwargs?: unknown };
  const type: unknown = Array.isArray(id) ? id.at(-1) : undefined;
  if (typeof type !== 'string' || typeof kwargs !== 'object' || kwargs === null) return undefined;
  return { type, kwargs: kwargs as Readonly<Record<string, unknown>> };
}

const roles: Readonly<Record<string, string>> = {
  SystemMessagePromptTemplate: 'system',
  SystemMessage: 'system',
  HumanMessagePromptTemplate: 'human',
  HumanMessage: 'human',
  AIMessagePromptTemplate: 'ai',
  AIMessage: 'ai',
  ToolMessage: 'tool',
  FunctionMessage: 'function',
};

function messageOf(value: unknown): TemplateMessage | undefined {
  const message = written(value);
  if (message === undefined) return undefined;
  const { type, kwargs } = message;
  if (type === 'MessagesPlaceholder') return { role: 'placeholder', ...rest(kwargs, []) };
  const role = roles[type] ?? kwargs['role'];
  if (typeof role !== 'string') return undefined;
  if (kwargs['prompt'] === undefined) return { role, ...rest(kwargs, ['role']) };
  const content = contentOf(kwargs['prompt']);
  return content === undefined ? undefined : { role, content, ...rest(kwargs, ['role', 'prompt']) };
}

/** The text, or the parts of a message that has several: texts and images. */
function contentOf(prompt: unknown): unknown {
  if (Array.isArray(prompt)) {
    const parts = prompt.map(contentOf);
    return parts.includes(undefined) ? undefined : parts;
  }
  return written(prompt)?.kwargs['template'];
}

/** The remaining members that have a value. */
function rest(kwargs: Readonly<Record<string, unknown>>, known: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(kwargs).filter(([name, value]) => !known.includes(name) && saysSomething(value)),
  );
}

const saysSomething = (value: unknown) =>
  value !== null && value !== undefined && !(typeof value === 'object' && Object.keys(value).length === 0);
