/**
 * The messages in what a tracer recorded of a run: LangChain's serialised and plain forms, OpenAI's and Anthropic's.
 * Content stays as it was; roles have OpenAI's names.
 */

export interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly id?: string;
  readonly name?: string;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: string;
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of one payload. */
const MAX_MESSAGES = 10_000;
const MAX_DEPTH = 8;

/** In their order; none where nothing looks like messages. */
export function messagesIn(payload: unknown, depth = 0): Message[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(payload)) return listed(payload, depth);
  if (!isFields(payload)) return [];
  const { messages, choices, generations, message, input, output } = payload;
  if (messages !== undefined && messages !== null) return listed([messages].flat(), depth);
  if (Array.isArray(choices))
    return listed(
      choices.map((choice) => (isFields(choice) ? choice['message'] : null)),
      depth,
    );
  if (Array.isArray(generations)) return listed(generations.flat().map(generationOf), depth);
  const single = messageOf(payload) ?? messageOf(message);
  if (single !== undefined) return [single];
  return messagesIn(input ?? output, depth + 1);
}

function listed(list: readonly unknown[], depth: number): Message[] {
  return list.slice(0, MAX_MESSAGES).flatMap((item) => {
    // A batch: what a chat model got is a list of lists.
    if (Array.isArray(item)) return pairOf(item) ?? messagesIn(item, depth + 1);
    return messageOf(item) ?? [];
  });
}

function generationOf(generation: unknown): unknown {
  if (!isFields(generation)) return undefined;
  return generation['message'] ?? { role: 'assistant', content: generation['text'] };
}

const roles: ReadonlyMap<unknown, string> = new Map([
  ['human', 'user'],
  ['user', 'user'],
  ['ai', 'assistant'],
  ['assistant', 'assistant'],
  ['model', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
  ['system', 'system'],
  ['developer', 'system'],
]);

/** Of a role, or of a type or class of LangChain's: `human`, `HumanMessage`, `AIMessageChunk`. */
const roleOf = (name: unknown) =>
  typeof name === 'string' ? roles.get(name.replace(/Message(Chunk)?$/, '').toLowerCase()) : undefined;

/** LangChain takes `['user', 'text']` for a message. */
function pairOf([role, content, ...more]: readonly unknown[]): Message | undefined {
  const known = roleOf(role);
  return known === undefined || typeof content !== 'string' || more.length > 0
    ? undefined
    : { role: known, content };
}

function messageOf(value: unknown): Message | undefined {
  if (!isFields(value)) return undefined;
  const { id, kwargs, data, type, role, content } = value;
  if (Array.isArray(id) && isFields(kwargs)) return spoken(roleOf(id.at(-1)) ?? kwargs['role'], kwargs);
  if (isFields(data) && content === undefined) return spoken(roleOf(type), data);
  return spoken(roleOf(role) ?? role ?? roleOf(type), value);
}

function spoken(role: unknown, fields: Fields): Message | undefined {
  const { id, content, name, tool_call_id, additional_kwargs } = fields;
  const given =
    fields['tool_calls'] ?? (isFields(additional_kwargs) ? additional_kwargs['tool_calls'] : undefined);
  const calls = Array.isArray(given) && given.length > 0 ? given : undefined;
  if (typeof role !== 'string' || (content === undefined && calls === undefined)) return undefined;
  return {
    role,
    content: content ?? '',
    ...(typeof id === 'string' && id !== '' ? { id } : {}),
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(calls === undefined ? {} : { tool_calls: calls }),
    ...(typeof tool_call_id === 'string' ? { tool_call_id } : {}),
  };
}
