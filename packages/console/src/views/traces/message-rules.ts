/** Finds messages in what runs took and gave, in the forms in which SDKs write them. Pure. */

export type MessagePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'image' | 'audio'; readonly url: string }
  | { readonly kind: 'other'; readonly value: unknown };

export interface ToolCall {
  readonly name: string;
  readonly args: unknown;
  readonly id?: string | undefined;
}

export interface Message {
  readonly role: string;
  readonly name?: string | undefined;
  readonly parts: readonly MessagePart[];
  readonly tool_calls: readonly ToolCall[];
}

type Free = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Free =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Where messages stand: `{messages}`, `{messages: [[…]]}`, `{generations}`, `{choices}`, `{output}`, one message, a list. */
export function messagesIn(value: unknown): readonly Message[] | undefined {
  for (const list of placesIn(value)) {
    const found = list.map(messageOf);
    if (found.length > 0 && found.every((one) => one !== undefined)) return found;
  }
  return undefined;
}

function* placesIn(value: unknown): Generator<readonly unknown[]> {
  if (Array.isArray(value)) yield flattened(value);
  if (!isObject(value)) return;
  for (const name of ['messages', 'message', 'output', 'input', 'response']) {
    const found = value[name];
    if (Array.isArray(found)) yield flattened(found);
    else if (isObject(found)) {
      yield [found];
      if (Array.isArray(found['messages'])) yield found['messages'];
    }
  }
  const { generations, choices } = value;
  if (Array.isArray(generations))
    yield flattened(generations).map((one) => (isObject(one) ? (one['message'] ?? one['text']) : one));
  if (Array.isArray(choices)) yield choices.map((one) => (isObject(one) ? one['message'] : one));
  yield [value];
}

/** Lists of lists are of several calls at once; a pair is a role and what was said. */
const flattened = (list: readonly unknown[]): readonly unknown[] =>
  list.flatMap((one) => (Array.isArray(one) && !isPair(one) ? (one as unknown[]) : [one]));

const isPair = (value: unknown): value is readonly [unknown, unknown] =>
  Array.isArray(value) && value.length === 2 && known.has(String(value[0]));

const roles: Readonly<Record<string, string>> = {
  human: 'user',
  HumanMessage: 'user',
  HumanMessageChunk: 'user',
  ai: 'assistant',
  AIMessage: 'assistant',
  AIMessageChunk: 'assistant',
  SystemMessage: 'system',
  ToolMessage: 'tool',
  ToolMessageChunk: 'tool',
  FunctionMessage: 'tool',
  function: 'tool',
  developer: 'system',
  model: 'assistant',
};
const known = new Set([
  'user',
  'assistant',
  'system',
  'tool',
  'ai',
  'human',
  'developer',
  'function',
  'model',
]);

function messageOf(value: unknown): Message | undefined {
  if (isPair(value)) return messageOf({ role: value[0], content: value[1] });
  if (!isObject(value)) return undefined;
  const { lc, id, kwargs, data } = value;
  // A message as LangChain serializes it.
  if (lc !== undefined && Array.isArray(id) && isObject(kwargs))
    return messageOf({ ...kwargs, role: id.at(-1) });
  const said = textOf(value['role']) ?? textOf(value['type']);
  if (said === undefined) return undefined;
  if (isObject(data) && 'content' in data) return messageOf({ ...data, role: said });
  const role = roles[said] ?? said;
  if (!known.has(role)) return undefined;
  if (!('content' in value) && !('tool_calls' in value) && !('parts' in value)) return undefined;
  const content = value['content'] ?? value['parts'];
  const blocks = Array.isArray(content) ? content : [];
  return {
    role,
    name: textOf(value['name']),
    parts: partsOf(content),
    tool_calls: toolCallsOf(value, blocks),
  };
}

function partsOf(content: unknown): readonly MessagePart[] {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [{ kind: 'other', value: content }];
  return content.flatMap((block) => partOf(block) ?? []);
}

const CALLS = new Set(['tool_use', 'tool_call', 'function_call']);

function partOf(block: unknown): MessagePart | undefined {
  if (typeof block === 'string') return { kind: 'text', text: block };
  if (!isObject(block)) return { kind: 'other', value: block };
  const type = textOf(block['type']) ?? '';
  if (CALLS.has(type)) return undefined;
  const text = textOf(block['text']);
  if (text !== undefined) return { kind: 'text', text };
  const thought = textOf(block['thinking']) ?? textOf(block['reasoning']);
  if (thought !== undefined) return { kind: 'thinking', text: thought };
  return mediaOf(block, type) ?? { kind: 'other', value: block };
}

function mediaOf(block: Free, type: string): MessagePart | undefined {
  const { image_url, input_audio, source } = block;
  const url = textOf(image_url) ?? (isObject(image_url) ? textOf(image_url['url']) : undefined);
  if (url !== undefined) return { kind: 'image', url };
  if (isObject(input_audio)) {
    const format = textOf(input_audio['format']) ?? 'wav';
    return { kind: 'audio', url: dataUrl(`audio/${format}`, textOf(input_audio['data']) ?? '') };
  }
  const kind = type.startsWith('image') ? 'image' : type.startsWith('audio') ? 'audio' : undefined;
  if (kind === undefined) return undefined;
  const from = isObject(source) ? source : block;
  const direct = textOf(from['url']);
  if (direct !== undefined) return { kind, url: direct };
  const data = textOf(from['data']) ?? textOf(from['base64']);
  const mime =
    textOf(from['media_type']) ?? textOf(from['mime_type']) ?? (kind === 'image' ? 'image/png' : 'audio/wav');
  return data === undefined ? undefined : { kind, url: dataUrl(mime, data) };
}

const dataUrl = (mime: string, data: string) => `data:${mime};base64,${data}`;

function toolCallsOf(message: Free, blocks: readonly unknown[]): readonly ToolCall[] {
  const extra = isObject(message['additional_kwargs'])
    ? message['additional_kwargs']['tool_calls']
    : undefined;
  const lists = [message['tool_calls'], extra].filter((one) => Array.isArray(one) && one.length > 0);
  const [listed = blocks.filter((one) => isObject(one) && CALLS.has(String(one['type'])))] = lists;
  return (listed as readonly unknown[]).flatMap((call) => (isObject(call) ? [toolCallOf(call)] : []));
}

function toolCallOf(call: Free): ToolCall {
  const inner = isObject(call['function']) ? call['function'] : call;
  const args = inner['args'] ?? inner['input'] ?? inner['arguments'];
  return {
    name: textOf(inner['name']) ?? 'tool',
    args: typeof args === 'string' ? parsed(args) : args,
    id: textOf(call['id']),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether a picture or a sound may be shown: only what the value itself holds, and nothing that could act. */
export const isShowable = (url: string): boolean =>
  /^data:(?:image\/(?:png|jpe?g|gif|webp|avif|bmp)|audio\/[\w.+-]+);base64,/i.test(url);
