/** JSON that jsonb takes: it can hold neither U+0000, which is dropped, nor half a surrogate pair, which is replaced. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text;
  return text.replaceAll(
    /(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f]{2})/g,
    (_all, before: string, code: string) => before + (code === '0000' ? '' : '\\ufffd'),
  );
}
