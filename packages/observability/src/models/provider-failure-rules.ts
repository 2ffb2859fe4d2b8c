import type { ModelFailure } from './model-call.ts';
import { optionalText, record } from './loose-json-rules.ts';

/** Failures of providers in words, in which the key never stands. */

const MAX_LENGTH = 1000;

/** The sentence of an error as any of the three APIs, or a server before them, writes it. */
export function failureOf(
  { status, body }: { readonly status: number; readonly body: string },
  api_key: string | null,
): ModelFailure {
  return {
    status,
    message: withoutKey(sentenceIn(body) ?? `The provider answers with status ${status}.`, api_key),
    may_pass: status === 408 || status === 409 || status === 429 || status >= 500,
  };
}

/** An error within a stream, or in an answer that pretends to succeed. */
export function errorIn(event: unknown, api_key: string | null): ModelFailure | undefined {
  const error = record(event)['error'];
  if (error === undefined || error === null) return undefined;
  const { code, type, status } = record(error);
  const number = typeof code === 'number' ? code : typeof status === 'number' ? status : null;
  return {
    status: number,
    message: withoutKey(sentenceOf(error) ?? 'The provider reports an error without words.', api_key),
    may_pass: /overloaded|rate_limit|unavailable|server_error|api_error/i.test(
      `${String(type)} ${String(status)}`,
    ),
  };
}

function sentenceIn(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const [first] = Array.isArray(value) ? (value as unknown[]) : [value];
    const { error, message, detail } = record(first);
    return sentenceOf(error) ?? optionalText(message) ?? optionalText(detail);
  } catch {
    const plain = body.trim();
    return plain === '' || plain.startsWith('<') ? undefined : plain;
  }
}

const sentenceOf = (error: unknown) => optionalText(error) ?? optionalText(record(error)['message']);

export function withoutKey(text: string, api_key: string | null): string {
  const hidden = api_key === null ? text : text.replaceAll(api_key, '…');
  return hidden.replaceAll('\0', '').slice(0, MAX_LENGTH).toWellFormed();
}
