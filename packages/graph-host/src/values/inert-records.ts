import type { Serde } from './langgraph-types.ts';

/**
 * A state may hold data that reads like a record of LangGraph's serializer. Versions of its checkpoint package before 1.1.5
 * take a constructor and the name of any method of it from such a record, and call it with what the record says: a
 * caller's input becomes code. Here such records stay data, whichever version a project has.
 */

const METHOD = '"method"';

/** The serializer, so that no text of a checkpoint makes it call what it did not write itself. */
export function inertSerde(stock: Serde): Serde {
  return {
    dumpsTyped: (value) => stock.dumpsTyped(value),
    loadsTyped: (type, bytes) => stock.loadsTyped(type, type === 'json' ? inert(bytes) : bytes),
  };
}

/** The same text unless it holds records that name a method. */
function inert(bytes: Uint8Array | string): Uint8Array | string {
  const text = typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes);
  if (!text.includes(METHOD)) return bytes;
  let found = false;
  const value: unknown = JSON.parse(text, (_key, one: unknown) => {
    if (!namesMethod(one)) return one;
    found = true;
    // LangChain constructs nothing that has an id of more than one name.
    return { ...one, id: [...one.id, INERT] };
  });
  return found ? JSON.stringify(value) : bytes;
}

/** No constructor has this name. */
const INERT = '';

interface MethodRecord {
  readonly id: readonly unknown[];
}

/** The serializer itself names one method only: it writes bytes as a list of numbers. */
function namesMethod(value: unknown): value is MethodRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { lc, type, id, method } = value as Readonly<Record<string, unknown>>;
  if (lc !== 2 || type !== 'constructor' || !Array.isArray(id)) return false;
  if (method === undefined || method === null) return false;
  return !(id.at(-1) === 'Uint8Array' && method === 'from');
}
