import { parseJson, Problem } from '@roadstead/kit';
import { type JsonText, toJson, writeJson } from '../json-text.ts';
import { A2aFault, fieldFault } from './a2a-fault.ts';

/** The JSON-RPC 2.0 envelope, in and out. */

export type RpcId = string | number | null;

export interface RpcCall {
  /** Undefined for a notification. */
  readonly id: RpcId | undefined;
  readonly method: string;
  readonly params: unknown;
  /** The payload's own `metadata`, beside `params`. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A call, or what is wrong with it and the id to answer with. */
export type Parsed =
  | { readonly call: RpcCall; readonly fault?: never }
  | { readonly fault: A2aFault; readonly id: RpcId; readonly call?: never };

/** The most values that a call may hold: each is read, checked, stored and handed to a graph host. */
const MAX_VALUES = 50_000;

/**
 * Reads a request's body; what is not a valid call becomes the error -32700, -32600 or -32601.
 * @throws Problem `too_large` for a body that is too deep or holds too much
 */
export async function parseCall(bytes: Uint8Array): Promise<Parsed> {
  const body = await parseJson(bytes, { max_values: MAX_VALUES }).catch(noJson);
  if (body === undefined)
    return { id: null, fault: new A2aFault('parse_error', 'The body is not valid JSON in UTF-8.') };
  if (Array.isArray(body)) return invalid(null, 'Batches are not supported: send one call per request.');
  if (!isRecord(body)) return invalid(null, 'The body must be a JSON-RPC 2.0 request object.');
  const id = body['id'];
  if (!isRpcId(id)) return invalid(null, 'id must be a string, a number or null.');
  if (body['jsonrpc'] !== '2.0') return invalid(id, 'jsonrpc must be "2.0".');
  const { method, metadata } = body;
  if (method === undefined) return invalid(id, 'method is required.');
  if (typeof method !== 'string') return { id: id ?? null, fault: methodNotFound() };
  if (metadata !== undefined && metadata !== null && !isRecord(metadata))
    return { id: id ?? null, fault: fieldFault('metadata', 'must be an object') };
  return { call: { id, method, params: body['params'], metadata: metadata ?? {} } };
}

export function methodNotFound(): A2aFault {
  return new A2aFault('method_not_found', 'This method does not exist in the protocol version of the call.');
}

/** Texts without lone surrogates, which strict parsers refuse, as they are stored. The id is returned as it came. */
export async function resultText(id: RpcId, result: object): Promise<JsonText> {
  const before = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  const text = await writeJson(result);
  return typeof text === 'string' ? `${before}${text}}` : [Buffer.from(before), ...text, CLOSE];
}

export function errorText(id: RpcId, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${toJson(error)}}`;
}

function invalid(id: RpcId | undefined, message: string): Parsed {
  return { id: id ?? null, fault: new A2aFault('invalid_request', message) };
}

const CLOSE = Buffer.from('}');

function noJson(error: unknown): undefined {
  if (error instanceof Problem && error.kind === 'malformed') return undefined;
  throw error;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRpcId(value: unknown): value is RpcId | undefined {
  return value === undefined || value === null || typeof value === 'string' || typeof value === 'number';
}
