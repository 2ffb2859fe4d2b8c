import { validBytes } from './file-text.ts';

/**
 * The place where a text stops being JSON. Engines rarely report it, so ever shorter beginnings of the text are
 * tried.
 */

/** How many bytes are parsed at once; the fault of a longer text may lie beyond. */
const LOOKED_AT_BYTES = 1_048_576;

/** `column 17`, counted from 1 in characters. Pauses between the tries. */
export function* placeOfFault(json: Uint8Array): Generator<void, string, void> {
  const looked_at = json.subarray(0, LOOKED_AT_BYTES);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    looked_at.subarray(0, validBytes(looked_at)),
  );
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (canGoOn(text.slice(0, middle))) good = middle;
    else bad = middle;
    yield;
  }
  const isFound = good < text.length || looked_at.length === json.length;
  return isFound ? `column ${good + 1}` : `column ${good + 1} or beyond`;
}

/** Whether the text is JSON, or would be if more came. */
function canGoOn(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    if (/^(?:Unexpected end|Unterminated string)/.test(message)) return true;
    return Number(/ at position (\d+)/.exec(message)?.[1] ?? -1) === text.length;
  }
}
