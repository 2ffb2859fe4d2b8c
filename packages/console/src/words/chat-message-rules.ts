import { type HtmlPage, htmlIn } from './html-rules.ts';
import { isObject, type RawObject as Raw, textAt } from './object-rules.ts';

/** Messages of chat models, as LangChain and OpenAI write them, read for a page. */

export type MessageRole = 'person' | 'agent' | 'tool' | 'system' | 'other';

export type MessagePart =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'image' | 'audio'; readonly url: string }
  | { readonly kind: 'file'; readonly name: string; readonly url: string | undefined }
  | ({ readonly kind: 'html' } & HtmlPage)
  | { readonly kind: 'value'; readonly value: unknown };

export interface ToolCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: unknown;
}

export interface ChatMessage {
  readonly id: string | undefined;
  readonly role: MessageRole;
  readonly name: string | undefined;
  readonly parts: readonly MessagePart[];
  readonly calls: readonly ToolCall[];
  /** The call that a tool's message answers. */
  readonly answers: string | undefined;
  readonly is_failed: boolean;
  readonly raw: unknown;
}

const roles: Readonly<Record<string, MessageRole>> = {
  human: 'person',
  user: 'person',
  ai: 'agent',
  assistant: 'agent',
  tool: 'tool',
  function: 'tool',
  system: 'system',
  developer: 'system',
};

/** `AIMessageChunk` is what older libraries call `ai` in a stream. */
const roleOf = (raw: Raw): MessageRole => {
  const word = (textAt(raw, 'type') ?? textAt(raw, 'role') ?? '')
    .replace(/Message(Chunk)?$/, '')
    .toLowerCase();
  return roles[word] ?? roles[textAt(raw, 'role') ?? ''] ?? 'other';
};

export const isMessage = (value: unknown): value is Raw =>
  isObject(value) && 'content' in value && roleOf(value) !== 'other';

/** The messages in the state of a graph; undefined where it has none. */
export function messagesIn(values: unknown): readonly unknown[] | undefined {
  const found = isObject(values) ? values['messages'] : undefined;
  return Array.isArray(found) ? found : undefined;
}

export function chatMessageOf(value: unknown): ChatMessage {
  const raw: Raw = isObject(value) ? value : { content: value };
  const more = isObject(raw['additional_kwargs']) ? raw['additional_kwargs'] : {};
  const reasoning = textAt(more, 'reasoning_content');
  return {
    id: textAt(raw, 'id'),
    role: roleOf(raw),
    name: textAt(raw, 'name'),
    parts: [
      ...(reasoning === undefined ? [] : [{ kind: 'reasoning' as const, text: reasoning }]),
      ...partsOf(raw['content']),
      ...pagesIn(raw['artifact']),
    ],
    calls: callsOf(raw, more),
    answers: textAt(raw, 'tool_call_id'),
    is_failed: raw['status'] === 'error',
    raw: value,
  };
}

/** What somebody would read aloud. */
export const plainText = (message: ChatMessage): string =>
  message.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');

export function partsOf(content: unknown): readonly MessagePart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content))
    return content === undefined || content === null ? [] : [{ kind: 'value', value: content }];
  return content.flatMap((block): readonly MessagePart[] => {
    if (typeof block === 'string') return [{ kind: 'text', text: block }];
    if (!isObject(block)) return [{ kind: 'value', value: block }];
    const page = htmlIn(block);
    if (page !== undefined) return [{ kind: 'html', ...page }];
    return (readers[textAt(block, 'type') ?? ''] ?? other)(block);
  });
}

/** The pages among what a tool made beside its answer; the rest is for programs. */
const pagesIn = (artifact: unknown): readonly MessagePart[] =>
  (Array.isArray(artifact) ? artifact : [artifact]).flatMap((one) => {
    const page = htmlIn(one);
    return page === undefined ? [] : [{ kind: 'html' as const, ...page }];
  });

type Reader = (block: Raw) => readonly MessagePart[];

const other: Reader = (value) => [{ kind: 'value', value }];
const nothing: Reader = () => [];
const textIn =
  (kind: 'text' | 'reasoning', ...names: readonly string[]): Reader =>
  (block) => {
    const text =
      names.map((name) => textAt(block, name)).find((found) => found !== undefined) ?? summaryOf(block);
    return text === undefined ? [] : [{ kind, text }];
  };

const summaryOf = ({ summary }: Raw): string | undefined =>
  Array.isArray(summary)
    ? summary.map((part) => textAt(part, 'text') ?? '').join('\n') || undefined
    : undefined;

const media =
  (kind: 'image' | 'audio'): Reader =>
  (block) => {
    const url = urlOf(block, kind);
    return url === undefined ? other(block) : [{ kind, url }];
  };

const file: Reader = (block) => {
  const meta = isObject(block['metadata']) ? block['metadata'] : block;
  const name = textAt(meta, 'filename') ?? textAt(meta, 'name') ?? textAt(block, 'filename') ?? 'file';
  return [{ kind: 'file', name, url: urlOf(block, 'file') }];
};

/** How blocks are read. Calls of tools are told by the message beside its content. */
const readers: Readonly<Record<string, Reader>> = {
  text: textIn('text', 'text'),
  output_text: textIn('text', 'text'),
  input_text: textIn('text', 'text'),
  thinking: textIn('reasoning', 'thinking'),
  reasoning: textIn('reasoning', 'reasoning', 'text'),
  reasoning_content: textIn('reasoning', 'text'),
  redacted_thinking: nothing,
  image_url: media('image'),
  image: media('image'),
  input_image: media('image'),
  audio: media('audio'),
  input_audio: media('audio'),
  file,
  document: file,
  tool_use: nothing,
  tool_call: nothing,
  tool_call_chunk: nothing,
  input_json_delta: nothing,
  function_call: nothing,
};

const usual = { image: 'image/png', audio: 'audio/wav', file: 'application/octet-stream' } as const;

/** Each library has its own way to write where a picture is. */
function urlOf(block: Raw, kind: keyof typeof usual): string | undefined {
  const inner =
    ['image_url', 'source', 'input_audio', 'file'].map((name) => block[name]).find(isObject) ?? block;
  const url = textAt(inner, 'url') ?? textAt(block, 'image_url') ?? textAt(block, 'url');
  if (url !== undefined) return url;
  const data = textAt(inner, 'data') ?? textAt(inner, 'file_data') ?? textAt(block, 'base64');
  if (data === undefined) return undefined;
  const type = ['mime_type', 'mimeType', 'media_type'].map(
    (name) => textAt(inner, name) ?? textAt(block, name),
  );
  return `data:${type.find((found) => found !== undefined) ?? usual[kind]};base64,${data}`;
}

function callsOf(raw: Raw, more: Raw): readonly ToolCall[] {
  const whole = listAt(raw, 'tool_calls');
  const streamed = listAt(raw, 'tool_call_chunks');
  const source = whole.some((call) => textAt(call, 'name') !== undefined) ? whole : streamed;
  const calls = source.length > 0 ? source : listAt(more, 'tool_calls');
  return calls.filter(isObject).map((call) => {
    const target = isObject(call['function']) ? call['function'] : call;
    const args = target['args'] ?? target['arguments'];
    return {
      id: textAt(call, 'id'),
      name: textAt(target, 'name') ?? '…',
      args: typeof args === 'string' ? parsedOr(args) : args,
    };
  });
}

const listAt = (raw: Raw, name: string): readonly unknown[] => {
  const found = raw[name];
  return Array.isArray(found) ? found : [];
};

/** JSON, or the text as it is while it is still being written. */
function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
