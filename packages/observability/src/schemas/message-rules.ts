import { messagesOf } from '@roadstead/contracts/messages';

/** Chat messages and tools in OpenAI’s form, from the forms in which LangChain and others write them. */

type Free = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Free =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const roles: Readonly<Record<string, string>> = {
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  system: 'system',
  developer: 'developer',
  tool: 'tool',
  function: 'function',
};

/** The role of a class of messages; `HumanMessageChunk` has the role of `human`. */
function roleOf(name: unknown): string | undefined {
  const kind = typeof name === 'string' ? name.replace(/Message(?:Chunk)?$/, '').toLowerCase() : '';
  return roles[kind];
}

interface Parts {
  readonly role: string;
  readonly said: Free;
}

/** The role and the fields of a message in any known form; undefined where it is no message. */
function partsOf(message: unknown): Parts | undefined {
  if (!isObject(message)) return undefined;
  const { role, type, data, id, kwargs } = message;
  if (Array.isArray(id) && isObject(kwargs)) {
    const known = roleOf(id.at(-1));
    return known === undefined ? undefined : { role: known, said: kwargs };
  }
  const known = roleOf(role) ?? roleOf(type);
  if (known === undefined) return undefined;
  return { role: known, said: isObject(data) ? data : message };
}

function openAiCall(call: unknown): unknown {
  if (!isObject(call) || 'function' in call) return call;
  const written = call['args'] ?? call['arguments'] ?? call['input'] ?? {};
  return {
    id: call['id'] ?? call['toolCallId'] ?? '',
    type: 'function',
    function: {
      name: call['name'] ?? call['toolName'] ?? '',
      arguments: typeof written === 'string' ? written : JSON.stringify(written),
    },
  };
}

/**
 * The message in OpenAI’s form; a value that is no message is unchanged, and one in parts may hold answers of tools,
 * which become messages of their own.
 */
export function openAiMessages(message: unknown): readonly unknown[] {
  const isInParts = isObject(message) && message['content'] === undefined && Array.isArray(message['parts']);
  const messages = isInParts ? messagesOf(message) : [];
  return messages.length > 0 ? messages.map(openAiMessage) : [openAiMessage(message)];
}

function openAiMessage(message: unknown): unknown {
  const parts = partsOf(message);
  if (parts === undefined) return message;
  const { role, said } = parts;
  const more = isObject(said['additional_kwargs']) ? said['additional_kwargs'] : {};
  const calls = [said['tool_calls'], more['tool_calls']].find((one) => Array.isArray(one) && one.length > 0);
  const call = said['function_call'] ?? more['function_call'];
  const { name, tool_call_id } = said;
  return {
    role,
    content: said['content'] ?? null,
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(openAiCall) } : {}),
    ...(call === undefined || call === null ? {} : { function_call: call }),
    ...(typeof tool_call_id === 'string' ? { tool_call_id } : {}),
  };
}

export function isSystemMessage(message: unknown): boolean {
  const role = partsOf(message)?.role;
  return role === 'system' || role === 'developer';
}

/** The tool in OpenAI’s form; a value that is no tool is unchanged. */
export function openAiTool(tool: unknown): unknown {
  if (!isObject(tool) || isObject(tool['function'])) return tool;
  const name = tool['name'] ?? tool['title'];
  if (typeof name !== 'string') return tool;
  const schema = tool['parameters'] ?? tool['input_schema'] ?? tool['args_schema'];
  const { title: _title, description, ...own } = tool;
  const parameters = schema ?? ('properties' in tool ? own : { type: 'object', properties: {} });
  return {
    type: 'function',
    function: { name, ...(description === undefined ? {} : { description }), parameters },
  };
}

/** The messages of a chat's payload, in any of its members. */
export function messagesIn(payload: unknown): unknown[] {
  if (!isObject(payload)) return [];
  const values = ['messages', 'input', 'output', 'message', 'generation']
    .map((name) => payload[name])
    .concat(Object.values(payload));
  for (const value of values) {
    const list = Array.isArray(value) ? value.flat() : [value];
    if (list.length > 0 && list.every((one) => partsOf(one) !== undefined))
      return list.flatMap(openAiMessages);
  }
  return [];
}
