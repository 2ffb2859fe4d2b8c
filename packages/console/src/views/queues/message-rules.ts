/** Messages within the inputs and outputs of runs, as LangChain and OpenAI write them, for whoever reviews. */

export interface PlainMessage {
  readonly role: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
}

type Raw = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Serialized LangChain messages hold what they are in `kwargs`. */
const unwrapped = (value: Raw): Raw =>
  isObject(value['kwargs']) ? { ...value['kwargs'], type: typeOf(value) } : value;
const typeOf = ({ id, kwargs }: Raw) =>
  (isObject(kwargs) && kwargs['type']) || (Array.isArray(id) ? id.at(-1) : undefined);

const names: Readonly<Record<string, string>> = {
  human: 'person',
  user: 'person',
  ai: 'agent',
  assistant: 'agent',
  tool: 'tool',
  function: 'tool',
  system: 'system',
  developer: 'system',
};

function roleOf(raw: Raw): string | undefined {
  const words = [raw['role'], raw['type']].filter((word) => typeof word === 'string');
  return words
    .map((word) => names[word.replace(/Message(Chunk)?$/, '').toLowerCase()])
    .find((name) => name !== undefined);
}

const wordIn = (raw: Raw, name: string) => {
  const word = raw[name];
  return typeof word === 'string' ? word : undefined;
};

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content))
    return content === null || content === undefined ? '' : JSON.stringify(content);
  return content
    .map((part) => {
      if (typeof part === 'string') return part;
      if (!isObject(part)) return '';
      return typeof part['text'] === 'string' ? part['text'] : `[${wordIn(part, 'type') ?? 'part'}]`;
    })
    .join('\n');
}

function callsOf(raw: Raw) {
  const calls = Array.isArray(raw['tool_calls']) ? raw['tool_calls'].filter(isObject) : [];
  return calls.map((call) => {
    const of = isObject(call['function']) ? call['function'] : call;
    return { name: wordIn(of, 'name') ?? '', args: of['args'] ?? of['arguments'] };
  });
}

function messageOf(value: unknown): PlainMessage | undefined {
  if (!isObject(value)) return undefined;
  const raw = unwrapped(value);
  const role = roleOf(raw);
  if (role === undefined || !('content' in raw)) return undefined;
  return { role, text: textOf(raw['content']), calls: callsOf(raw) };
}

/** The messages of a value; undefined where it has none, so that it is shown as JSON. */
export function messagesIn(value: unknown): readonly PlainMessage[] | undefined {
  const list = listIn(value);
  if (list === undefined || list.length === 0) return undefined;
  const messages = list.map((one) => messageOf(one));
  return messages.every((one) => one !== undefined) ? messages : undefined;
}

function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return Array.isArray(value[0]) ? (value[0] as unknown[]) : value;
  if (!isObject(value)) return undefined;
  if (Array.isArray(value['messages'])) return listIn(value['messages']);
  if (Array.isArray(value['choices'])) return value['choices'].filter(isObject).map(({ message }) => message);
  if (Array.isArray(value['generations']))
    return value['generations']
      .flat()
      .filter(isObject)
      .map(({ message }) => message);
  const output = value['output'] ?? value['message'];
  return output === undefined ? undefined : Array.isArray(output) ? output : [output];
}
