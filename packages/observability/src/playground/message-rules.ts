import { PlaygroundMessage } from '@roadstead/contracts/observability';
import { malformed } from '@roadstead/kit';
import { list, record } from '../models/loose-json-rules.ts';
import type { ChatMessage, ChatToolCall } from '../models/model-call.ts';
import type { TemplateMessage, TemplatePart, TextFormat } from './template.ts';

/** Messages as OpenAI or LangChain write them, in one form. */

const roles: Readonly<Record<NonNullable<PlaygroundMessage['role']>, ChatMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  tool: 'tool',
};

/** @throws Problem naming the part of an image that names none. */
export function messageOf(
  message: PlaygroundMessage,
  { format, at }: { readonly format: TextFormat; readonly at: readonly (string | number)[] },
): TemplateMessage {
  const { role, type, content, tool_calls, tool_call_id, name } = message;
  const parts: TemplatePart[] =
    typeof content === 'string'
      ? [{ type: 'text', text: content, format }]
      : (content ?? []).map((part, index) => partOf(part, { format, at: [...at, 'content', index] }));
  return {
    role: roles[role ?? type ?? 'user'],
    parts,
    ...(tool_calls === null || tool_calls === undefined ? {} : { tool_calls: tool_calls.map(callOf) }),
    ...(tool_call_id === null || tool_call_id === undefined ? {} : { tool_call_id }),
    ...(name === null || name === undefined ? {} : { name }),
  };
}

type SentPart = Exclude<NonNullable<PlaygroundMessage['content']>, string>[number];

function partOf(
  part: SentPart,
  { format, at }: { readonly format: TextFormat; readonly at: readonly (string | number)[] },
): TemplatePart {
  if (part.type === 'text') return { ...part, format };
  if (part.type === 'image_url') {
    const url = typeof part.image_url === 'string' ? part.image_url : part.image_url.url;
    return { type: 'image', text: url, format: imageFormat(url, format) };
  }
  const data = part.base64 ?? part.data;
  const url =
    part.url ?? (data === undefined ? undefined : `data:${part.mime_type ?? 'image/png'};base64,${data}`);
  if (url === undefined) throw malformed([...at, 'url'], 'or "base64" is required', 'missing');
  return { type: 'image', text: url, format: imageFormat(url, format) };
}

/** Bytes name no variables. */
const imageFormat = (url: string, format: TextFormat): TextFormat =>
  url.startsWith('data:') ? 'none' : format;

type SentCall = NonNullable<PlaygroundMessage['tool_calls']>[number];

function callOf({ id, name, args, function: called }: SentCall, index: number): ChatToolCall {
  return {
    id: id ?? `call_${index + 1}`,
    name: called?.name ?? name ?? '',
    arguments: called?.arguments ?? JSON.stringify(args ?? {}),
  };
}

/**
 * The messages that a variable holds: a text, one message or a list of them, as clients of LangChain write and
 * serialise them; undefined where it holds something else.
 */
export function messagesIn(value: unknown): TemplateMessage[] | undefined {
  if (typeof value === 'string')
    return [{ role: 'user', parts: [{ type: 'text', text: value, format: 'none' }] }];
  const found = (Array.isArray(value) ? (value as unknown[]) : [value]).map((one) => {
    const parsed = PlaygroundMessage.safeParse(plainMessage(one));
    return parsed.success ? messageOf(parsed.data, { format: 'none', at: [] }) : undefined;
  });
  return found.every((one) => one !== undefined) ? found : undefined;
}

const serialised: Readonly<Record<string, string>> = {
  SystemMessage: 'system',
  HumanMessage: 'user',
  AIMessage: 'assistant',
  ToolMessage: 'tool',
};

/** `["human", "…"]`, `{lc, id, kwargs}` and `{type, data}` as plain messages. */
export function plainMessage(value: unknown): unknown {
  if (Array.isArray(value)) return { role: value[0] as unknown, content: value[1] as unknown };
  const { id, kwargs, data, type } = record(value);
  if (kwargs !== undefined) {
    const word = String(list(id).at(-1)).replace(/Chunk$/, '');
    const { content, tool_calls, tool_call_id, name } = record(kwargs);
    return { role: serialised[word], content, tool_calls, tool_call_id, name };
  }
  return data === undefined || typeof type !== 'string' ? value : { ...record(data), role: type };
}
