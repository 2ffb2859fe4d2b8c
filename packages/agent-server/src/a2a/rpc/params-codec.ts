import { fieldFault } from './a2a-fault.ts';
import { protoName } from './proto-names.ts';

/** Strict readers of `params`, shared by both codecs: each returns the value or throws a fault that names the field. */

export type Fields = Readonly<Record<string, unknown>>;
export type Reader<T> = (value: unknown, field: string) => T;

export const MAX_PARTS = 100;
const MAX_DEPTH = 100;

/** 1 to 256 characters, no control characters, line separators or halves of a surrogate pair. */
const printable = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,256}$/u;

const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** null counts as an absent field, as in ProtoJSON. */
export function optional<T>(read: Reader<T>): Reader<T | undefined> {
  return (value, field) => (value === undefined || value === null ? undefined : read(value, field));
}

export const readObject: Reader<Fields> = (value, field) => {
  if (value === undefined || value === null) throw fieldFault(field, 'is required');
  if (typeof value !== 'object' || Array.isArray(value)) throw fieldFault(field, 'must be an object');
  return value as Fields;
};

/** Reads an object of ProtoJSON: fields have their camelCase names, in any spelling that clients may use. */
export const readProtoObject: Reader<Fields> = (value, field) => {
  const fields = readObject(value, field);
  const names = Object.keys(fields);
  if (!names.some((name) => name.includes('_'))) return fields;
  const camel = names.map((name) => [protoName(name), fields[name]]);
  return { ...Object.fromEntries(camel), ...fields } as Fields;
};

export const readArray: Reader<readonly unknown[]> = (value, field) => {
  if (value === undefined || value === null) throw fieldFault(field, 'is required');
  if (!Array.isArray(value)) throw fieldFault(field, 'must be an array');
  return value;
};

export const readId: Reader<string> = (value, field) => {
  if (value === undefined || value === null) throw fieldFault(field, 'is required');
  if (typeof value !== 'string' || !printable.test(value))
    throw fieldFault(field, 'must be a string of 1 to 256 printable characters');
  return value;
};

export const readText: Reader<string> = (value, field) => {
  if (typeof value !== 'string') throw fieldFault(field, 'must be a string');
  if (!isStorableText(value)) throw fieldFault(field, 'must be valid Unicode text without NUL');
  return value;
};

/**
 * Reads base64 in the standard or the URL alphabet, padded or not, as ProtoJSON does; returns the standard one, padded.
 */
export const readBase64: Reader<string> = (value, field) => {
  if (typeof value !== 'string' || !base64.test(value)) throw fieldFault(field, 'must be base64');
  const bare = value.replace(/={1,2}$/, '');
  if (bare.length % 4 === 1) throw fieldFault(field, 'must be base64');
  const standard =
    bare.includes('-') || bare.includes('_') ? bare.replaceAll('-', '+').replaceAll('_', '/') : bare;
  return standard.padEnd(Math.ceil(standard.length / 4) * 4, '=');
};

const MAX_URI = 8192;

/** An absolute address; `data:` is one, too. */
export const readUri: Reader<string> = (value, field) => {
  const uri = readText(value, field);
  if (!uri.startsWith('data:') && (uri.length > MAX_URI || !URL.canParse(uri)))
    throw fieldFault(field, 'must be an absolute address');
  return uri;
};

export const readBoolean: Reader<boolean> = (value, field) => {
  if (typeof value !== 'boolean') throw fieldFault(field, 'must be true or false');
  return value;
};

export const readCount: Reader<number> = (value, field) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw fieldFault(field, 'must be an integer of at least 0');
  return value;
};

/** Any JSON that the database can keep. */
export const readJsonValue: Reader<unknown> = (value, field) => {
  checkStorable(value, field, MAX_DEPTH);
  return value;
};

export const readJsonObject: Reader<Fields> = (value, field) => {
  const fields = readObject(value, field);
  checkStorable(fields, field, MAX_DEPTH);
  return fields;
};

/** Reads a list whose elements `read` reads. */
export function readEach<T>(value: unknown, field: string, read: Reader<T>): T[] {
  return readArray(value, field).map((one, index) => read(one, `${field}[${index}]`));
}

/** The tracing thread in a `metadata` object. */
export function readThreadId(metadata: Fields | undefined, field: string): string | undefined {
  return optional(readId)(metadata?.['thread_id'], `${field}.thread_id`);
}

/** `{ [name]: value }`, or nothing where there is no value. */
export function present<Name extends string, T>(name: Name, value: T | undefined): { [N in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]: T });
}

/** Postgres stores neither NUL nor half of a surrogate pair. */
function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function checkStorable(value: unknown, field: string, depth: number): void {
  if (typeof value === 'string' && !isStorableText(value))
    throw fieldFault(field, 'must hold valid Unicode text without NUL');
  if (typeof value !== 'object' || value === null) return;
  if (depth === 0) throw fieldFault(field, `must not be nested more than ${MAX_DEPTH} levels deep`);
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorableText(key)) throw fieldFault(field, 'must hold valid Unicode text without NUL');
    checkStorable(inner, field, depth - 1);
  }
}
