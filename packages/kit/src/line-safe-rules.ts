/**
 * Readers that go line by line, Python's above all, end a line at U+2028, U+2029 and U+0085 as well, which JSON
 * allows unescaped. In JSON these occur only within strings, where an escape means the same. Pure.
 */

/** The characters that end a line for such readers, and what stands for each in JSON. */
export const LINE_ENDS = ['\u2028', '\u2029', '\u0085'].map((sign) => ({
  sign,
  escape: `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
}));

/** The same JSON, or events that carry it, without characters that end a line. */
export function lineSafe(text: string): string {
  let safe = text;
  // Searching for one character at a time is many times faster than a regular expression.
  for (const { sign, escape } of LINE_ENDS) if (safe.includes(sign)) safe = safe.replaceAll(sign, escape);
  return safe;
}
