import { MalformedFrame } from './malformed-frame.ts';
import type { Head } from './protocol.ts';

/**
 * Reads the head of a frame. By hand, because each frame has one; a test holds it to the schema.
 * @throws MalformedFrame
 */
export function readHead(value: unknown, max_blobs = Infinity): Head {
  if (isObject(value) && Array.isArray(value['blobs']) && value['blobs'].length > max_blobs)
    throw new MalformedFrame(`a frame has more than ${max_blobs} blobs`);
  if (isHead(value)) return value;
  throw new MalformedFrame('a head is no question, message or answer');
}

function isHead(value: unknown): value is Head {
  if (!isObject(value) || !isLengths(value['blobs'])) return false;
  const { id, re, method, error } = value;
  if (re !== undefined) return Number.isSafeInteger(re) && (error === undefined || isHostError(error));
  return typeof method === 'string' && (id === undefined || Number.isSafeInteger(id));
}

function isLengths(blobs: unknown): boolean {
  return blobs === undefined || (Array.isArray(blobs) && blobs.every(isLength));
}

const isLength = (length: unknown) => Number.isSafeInteger(length) && Number(length) >= 0;

function isHostError(error: unknown): boolean {
  if (!isObject(error)) return false;
  const { name, message, stack, hint, rejected } = error;
  const texts = [name, message, stack ?? '', hint ?? ''];
  return texts.every((text) => typeof text === 'string') && (rejected === undefined || rejected === true);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
