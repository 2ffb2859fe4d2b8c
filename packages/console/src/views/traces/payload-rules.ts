/** Finds the value in an answer with one field, without reading it: it may be large. Pure. */

/** More than a name and spaces around it never stands before a value. */
const HEAD_BYTES = 256;
const CLOSE = 0x7d;

/** The bytes of the value of `{"name":…}`; undefined where the answer has none. */
export function valueIn(answer: Uint8Array<ArrayBuffer>, name: string): Uint8Array<ArrayBuffer> | undefined {
  const head = new TextDecoder('latin1').decode(answer.subarray(0, HEAD_BYTES));
  const before = /^\s*\{\s*"(\w+)"\s*:/.exec(head);
  return before?.[1] === name ? answer.subarray(before[0].length, answer.lastIndexOf(CLOSE)) : undefined;
}
