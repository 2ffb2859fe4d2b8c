import { malformed } from '@roadstead/kit';
import type { PayloadKind } from './run-operation.ts';
import type { SentPayload } from './run-fields-rules.ts';

/** JSON as clients send it: read, and kept as it was written. */

/** A larger payload is not kept: a note stands in its place, and the rest of the run lives. */
const MAX_PAYLOAD_BYTES = 20_971_520;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** @throws Problem `malformed` naming `at`. */
export function parseJson(json: Uint8Array, at: string): unknown {
  try {
    return JSON.parse(decoder.decode(json)) as unknown;
  } catch {
    throw malformed([at], 'is not valid JSON in UTF-8', 'json_invalid');
  }
}

export function parseObject(json: Uint8Array, at: string): Readonly<Record<string, unknown>> {
  return asObject(parseJson(json, at), at);
}

export function asObject(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed([at], 'is not a JSON object');
  return value as Readonly<Record<string, unknown>>;
}

/** @param read gives the value; not called where the payload is too large to be kept. */
export function payloadOf(kind: PayloadKind, json: Uint8Array, read: () => unknown): SentPayload {
  if (json.length <= MAX_PAYLOAD_BYTES) return { json, value: read() };
  const value = placeholder(kind, json.length);
  return { json: encoder.encode(JSON.stringify(value)), value };
}

/** Of the shape that readers expect in its place. */
function placeholder(kind: PayloadKind, bytes: number): unknown {
  const sentence = `Left out: ${bytes} bytes are more than the ${MAX_PAYLOAD_BYTES} that are kept of one field.`;
  if (kind === 'error') return sentence;
  return kind === 'events' ? [{ name: 'omitted', message: sentence }] : { omitted: sentence };
}
