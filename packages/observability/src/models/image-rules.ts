/** The bytes that an address holds itself; undefined where it only names them. */
export function inlineImage(url: string): { readonly media_type: string; readonly data: string } | undefined {
  const [, media_type, data] = /^data:([\w.+/-]+)(?:;[\w=-]+)*;base64,([\s\S]*)$/.exec(url) ?? [];
  return media_type === undefined || data === undefined ? undefined : { media_type, data };
}
