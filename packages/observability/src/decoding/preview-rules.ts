import { answerIn, messagesOf } from '@roadstead/contracts/messages';
import { columnText } from '../values/column-text-rules.ts';

/** The beginning of a payload as a person would read it: the question or the answer, rather than its JSON. */

const PREVIEW_LENGTH = 300;

/** @param json the payload's own text, shown where no message or single text is found in its value. */
export function previewOf(value: unknown, json: Uint8Array): string {
  const text = readableText(value) ?? new TextDecoder().decode(json.subarray(0, PREVIEW_LENGTH * 4));
  return columnText(text, PREVIEW_LENGTH);
}

function readableText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return undefined;
  const { messages, input, output } = value;
  if (Array.isArray(messages)) return lastMessageText(messages);
  const list = input ?? output;
  if (Array.isArray(list) && list.every(isMessage)) return lastMessageText(list);
  const generations = value['generations'];
  if (Array.isArray(generations)) return generationText(generations);
  const [only, ...others] = Object.values(value);
  return others.length === 0 && typeof only === 'string' ? only : undefined;
}

/** Chat models are given a list of lists; the last message is the one that moved the conversation. */
function lastMessageText(messages: readonly unknown[]): string | undefined {
  const last = messages.at(-1);
  const nested: unknown = Array.isArray(last) ? last.at(-1) : undefined;
  return messageText(isRecord(nested) ? nested : last);
}

function generationText(generations: readonly unknown[]): string | undefined {
  const first = [generations[0]].flat()[0];
  if (!isRecord(first)) return undefined;
  const text = first['text'];
  return typeof text === 'string' && text !== '' ? text : messageText(first['message']);
}

const isMessage = (item: unknown) => isRecord(item) && typeof item['role'] === 'string';

/** A message of LangChain (serialised or plain), OpenAI or Anthropic, one in parts, or a `[role, text]` pair. */
function messageText(message: unknown): string | undefined {
  if (typeof message === 'string') return message;
  if (Array.isArray(message)) return typeof message[1] === 'string' ? message[1] : undefined;
  if (!isRecord(message)) return undefined;
  const { content, parts } = isRecord(message['kwargs']) ? message['kwargs'] : message;
  if (content === undefined && Array.isArray(parts)) return partsText(message);
  if (typeof content === 'string') return content === '' ? undefined : content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.slice(0, PREVIEW_LENGTH).flatMap(saidIn);
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** The thoughts of a model are left out. */
function saidIn(block: unknown): string[] {
  if (!isRecord(block) || block['type'] === 'reasoning') return [];
  if (block['type'] === 'tool-result') return [wordsOf(answerIn(block))];
  return typeof block['text'] === 'string' ? [block['text']] : [];
}

/** The answer of a tool may be an object. */
const wordsOf = (answer: unknown) => (typeof answer === 'string' ? answer : JSON.stringify(answer ?? ''));

function partsText(message: Record<string, unknown>): string | undefined {
  const texts = messagesOf(message).flatMap((one) =>
    isRecord(one.content) ? wordsOf(one.content) : (messageText(one) ?? []),
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
