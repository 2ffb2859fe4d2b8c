import { randomUUID } from 'node:crypto';
import type { PlainMessage } from '@roadstead/contracts';
import type { AnyMessage } from './langgraph-types.ts';

/** LangChain's messages as plain data, told by their shape. */

const roles: Readonly<Record<string, PlainMessage['role']>> = {
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
  system: 'system',
  developer: 'system',
};

export function isMessage(value: unknown): value is AnyMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { getType, _getType } = value as AnyMessage;
  return typeof getType === 'function' || typeof _getType === 'function';
}

export function roleOf(message: AnyMessage): PlainMessage['role'] | undefined {
  const type = (message.getType ?? message._getType)?.call(message) ?? '';
  return roles[type];
}

/** Text of a message's content: a string, or the text blocks of a list. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: unknown) => (typeof block === 'string' ? block : textBlock(block))).join('');
}

/** Ids of messages that came without one; the same message keeps its id. */
const givenIds = new WeakMap<object, string>();

export function idOf(message: AnyMessage): string {
  if (typeof message.id === 'string' && message.id !== '') return message.id;
  const given = givenIds.get(message) ?? randomUUID();
  givenIds.set(message, given);
  return given;
}

export function plainMessage(message: AnyMessage): PlainMessage | undefined {
  const role = roleOf(message);
  if (role === undefined) return undefined;
  const calls = (message.tool_calls ?? []).map((call) => ({
    id: call.id ?? '',
    name: call.name,
    args: call.args,
  }));
  return {
    id: idOf(message),
    role,
    text: textOf(message.content),
    ...(typeof message.name === 'string' ? { name: message.name } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(typeof message.tool_call_id === 'string' ? { tool_call_id: message.tool_call_id } : {}),
  };
}

/** The messages in a value that a node returned: in any of its channels, one or a list. */
export function messagesIn(update: unknown): AnyMessage[] {
  if (isMessage(update)) return [update];
  if (Array.isArray(update)) return update.flatMap(messagesIn);
  if (typeof update !== 'object' || update === null) return [];
  return Object.values(update).flatMap((value: unknown) => {
    if (isMessage(value)) return [value];
    return Array.isArray(value) ? value.filter(isMessage) : [];
  });
}

const MAX_VALUES = 1_000_000;

/** A state as JSON; messages as plain ones. Null when it can't be written, or is larger than a megabyte. */
export function plainValues(values: unknown): unknown {
  try {
    const text = JSON.stringify(
      values,
      function (this: Readonly<Record<string, unknown>>, key, value: unknown) {
        // `value` has been through the message's own toJSON already.
        const raw = this[key];
        return isMessage(raw) ? plainMessage(raw) : value;
      },
    );
    return text === undefined || text.length > MAX_VALUES ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

function textBlock(block: unknown): string {
  const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
  return typeof text === 'string' && (type === undefined || type === 'text' || type === 'text_delta')
    ? text
    : '';
}
