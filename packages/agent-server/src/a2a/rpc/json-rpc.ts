import { membersOf, parseJson, withoutMark } from '@roadstead/json';
import { Problem, TimeSlice } from '@roadstead/kit';
import { type JsonText, toJson, writeJson } from '../../json/json-text.ts';
import { A2aFault } from './a2a-fault.ts';

/** The JSON-RPC 2.0 envelope of calls and answers. */

/** An id as JSON text, returned unchanged. */
export type IdText = string;
export const NO_ID: IdText = 'null';

export interface RpcCall {
  /** Undefined for a notification. */
  readonly id: IdText | undefined;
  readonly method: string;
  readonly params: unknown;
  /** The payload's own `metadata`, beside `params`; not parsed yet. */
  readonly metadata: unknown;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A call, or its fault and the id to answer with. */
export type ParsedCall =
  | { readonly call: RpcCall; readonly fault?: never }
  | { readonly fault: A2aFault; readonly id: IdText; readonly call?: never };

/** The most values that a call may hold: each is read, checked, stored and handed to a graph host. */
const MAX_VALUES = 50_000;

/**
 * Reads a request's body; an invalid call becomes the error -32700, -32600 or -32601.
 * @throws Problem `too_large` for a body that is too deep or holds too many values
 */
export async function parseCall(bytes: Uint8Array): Promise<ParsedCall> {
  const body = await parseJson(bytes, { max_values: MAX_VALUES }).catch(noJson);
  if (body === undefined)
    return { id: NO_ID, fault: new A2aFault('parse_error', 'The body is not valid JSON in UTF-8.') };
  if (Array.isArray(body)) return invalid(NO_ID, 'Batches are not supported: send one call per request.');
  if (!isRecord(body)) return invalid(NO_ID, 'The body must be a JSON-RPC 2.0 request object.');
  const { id: given, jsonrpc, method, params, metadata } = body;
  if (!isRpcId(given)) return invalid(NO_ID, 'id must be a string, a number or null.');
  const id = await idText(given, bytes);
  if (jsonrpc !== '2.0') return invalid(id, 'jsonrpc must be "2.0".');
  if (method === undefined) return invalid(id, 'method is required.');
  if (typeof method !== 'string') return { id: id ?? NO_ID, fault: methodNotFound() };
  return { call: { id, method, params, metadata } };
}

async function idText(id: RpcId | undefined, body: Uint8Array): Promise<IdText | undefined> {
  if (id === undefined) return undefined;
  return (typeof id === 'number' ? await numberText(body) : undefined) ?? JSON.stringify(id);
}

/** No client uses longer numbers. */
const MAX_NUMBER_BYTES = 1024;

/**
 * The numeric `id` as it is written in the body, which is an object: read as numbers, `9007199254740993` and `1.0` would
 * come back changed.
 */
async function numberText(body: Uint8Array): Promise<string | undefined> {
  const id = (await membersOf(withoutMark(body), new TimeSlice()))?.get('id');
  return id === undefined || id.length > MAX_NUMBER_BYTES ? undefined : new TextDecoder().decode(id);
}

export function methodNotFound(): A2aFault {
  return new A2aFault('method_not_found', 'This method does not exist in the protocol version of the call.');
}

/** Writes the result as it is stored, without lone surrogates, which strict parsers refuse. */
export async function resultText(id: IdText, result: object | null): Promise<JsonText> {
  const before = `{"jsonrpc":"2.0","id":${id},"result":`;
  const text = await writeJson(result);
  return typeof text === 'string' ? `${before}${text}}` : [Buffer.from(before), ...text, CLOSE];
}

export function errorText(id: IdText, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${toJson(error)}}`;
}

function invalid(id: IdText | undefined, message: string): ParsedCall {
  return { id: id ?? NO_ID, fault: new A2aFault('invalid_request', message) };
}

const CLOSE = Buffer.from('}');

function noJson(error: unknown): undefined {
  if (error instanceof Problem && error.kind === 'malformed') return undefined;
  throw error;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type RpcId = string | number | null;

function isRpcId(value: unknown): value is RpcId | undefined {
  return value === undefined || value === null || typeof value === 'string' || typeof value === 'number';
}
