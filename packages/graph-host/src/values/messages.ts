import { randomUUID } from 'node:crypto';
import type { PlainMessage } from '@roadstead/contracts/host';
import { isByItself } from './a2a-words.ts';
import { partsOf } from './content-parts.ts';
import type { AnyMessage } from './langgraph-types.ts';

/** LangChain's messages as plain data, recognized by their shape. */

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

/** Undefined for what is no message of a conversation, such as a removal. */
function roleOf(message: AnyMessage): PlainMessage['role'] | undefined {
  const type = (message.getType ?? message._getType)?.call(message) ?? message.role ?? message.type ?? '';
  // LangChain's generic message names its role itself.
  const name = type === 'generic' ? (message.role ?? '') : type;
  return Object.hasOwn(roles, name) ? roles[name] : undefined;
}

/** Text of a message's content: a string, or the text blocks of a list. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: unknown) => (typeof block === 'string' ? block : textBlock(block))).join('');
}

/** Ids of messages that can't be given one. */
const givenIds = new WeakMap<object, string>();

/** A message without an id is given one, as LangGraph's reducer would a moment later: so both mean the same. */
export function idOf(message: AnyMessage): string {
  if (typeof message.id === 'string' && message.id !== '') return message.id;
  const given = givenIds.get(message) ?? randomUUID();
  givenIds.set(message, given);
  if (isMessage(message) && Object.isExtensible(message)) {
    message.id = given;
    if (message.lc_kwargs !== undefined && Object.isExtensible(message.lc_kwargs))
      message.lc_kwargs.id = given;
  }
  return given;
}

/** A graph may return messages as plain data, with anything in the place of a word. */
export const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

export function plainMessage(message: AnyMessage): PlainMessage | undefined {
  const role = roleOf(message);
  if (role === undefined) return undefined;
  const calls = (message.tool_calls ?? []).map((call) => ({
    id: wordOf(call.id),
    name: wordOf(call.name),
    args: plainValues(call.args),
  }));
  const parts = partsOf(message.content);
  return {
    id: idOf(message),
    role,
    text: textOf(message.content),
    ...(parts.some(({ kind }) => kind !== 'text') ? { parts } : {}),
    ...(isByItself(message) ? { by_itself: true } : {}),
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

/**
 * Gives messages that a node returns without an id one each, as one of LangChain's callback handlers. LangGraph's stream
 * mode `messages` would give all of a node's the *same* id, of which the state then keeps only the last.
 */
export const messageIds = {
  name: 'roadstead-message-ids',
  /** Before LangGraph's own handler, which comes after it. */
  awaitHandlers: true,
  handleChainEnd(outputs: unknown): void {
    for (const message of messagesIn(outputs)) idOf(message);
  },
} as const;

const MAX_VALUES = 1_000_000;

/** A state as JSON; messages as plain ones. Null when it can't be written, or is larger than a megabyte. */
export function plainValues(values: unknown): unknown {
  try {
    const text = JSON.stringify(
      values,
      function (this: Readonly<Record<string, unknown>>, key, value: unknown) {
        // `value` has been through the message's own toJSON already.
        const raw = this[key];
        if (typeof value === 'bigint') return value.toString();
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
