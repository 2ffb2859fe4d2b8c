import type { Serde } from './langgraph-types.ts';

/** LangGraph's serializer writes this in place of a whole value that holds something which JSON can't express. */
const GIVEN_UP = Buffer.from('"[unable to serialize');

/** Serializes with the user's own serializer, and a BigInt as its digits: alone it would give up the whole value for one. */
export async function dumpStock(stock: Serde, value: unknown): Promise<[string, Uint8Array]> {
  const dumped = await stock.dumpsTyped(value);
  const [, bytes] = dumped;
  if (typeof value === 'string' || Buffer.compare(bytes.subarray(0, GIVEN_UP.length), GIVEN_UP) !== 0)
    return dumped;
  return withDigits(() => stock.dumpsTyped(value));
}

/** JSON asks a value for its `toJSON`. BigInts have one as long as this begins, which is all that a serializer needs. */
function withDigits<T>(begin: () => T): T {
  const prototype: object & { toJSON?: unknown } = BigInt.prototype;
  if (prototype.toJSON !== undefined) return begin();
  const toJSON = function (this: bigint) {
    return this.toString();
  };
  Object.defineProperty(prototype, 'toJSON', { value: toJSON, configurable: true });
  try {
    return begin();
  } finally {
    delete prototype.toJSON;
  }
}
