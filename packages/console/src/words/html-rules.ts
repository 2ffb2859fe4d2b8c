import { isObject, textAt } from './object-rules.ts';

/** Pages and files that agents write, which may hold anything. */

/** Beside what the frame forbids: such a page loads nothing, not even from here. That it leads nowhere else is up to the `frame-src` of the console. */
const POLICY = `default-src 'none'; img-src data:; form-action 'none'; base-uri 'none'`;

/** The page as a frame shows it; its policy comes first, so that nothing in the page comes before it. */
export const framedPage = (html: string): string =>
  `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">${html}`;

const isHtml = (type: string | undefined): boolean =>
  type !== undefined && /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type);

const typeOf = (value: unknown): string | undefined =>
  ['mime_type', 'mimeType', 'media_type', 'content_type'].map((name) => textAt(value, name)).find(Boolean);

export interface HtmlPage {
  readonly html: string;
  readonly name: string;
}

/** The page that a block of a message or an artifact holds; undefined where it is something else. */
export function htmlIn(value: unknown): HtmlPage | undefined {
  if (!isObject(value)) return undefined;
  const inner = ['source', 'resource', 'file'].map((name) => value[name]).find(isObject) ?? value;
  if (!isHtml(typeOf(inner) ?? typeOf(value))) return undefined;
  const text = textAt(inner, 'text') ?? textAt(inner, 'html') ?? textAt(inner, 'content');
  const data = ['data', 'base64', 'blob', 'file_data'].map((name) => textAt(inner, name)).find(Boolean);
  const html = text ?? (data === undefined ? undefined : decoded(data));
  if (html === undefined) return undefined;
  const meta = isObject(value['metadata']) ? value['metadata'] : inner;
  const name = textAt(meta, 'filename') ?? textAt(meta, 'name') ?? textAt(value, 'filename') ?? 'Page';
  return { html, name };
}

function decoded(base64: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** A file within a message as bytes of no kind, which a browser can only save. */
export const plainBytes = (data_url: string): string =>
  data_url.replace(/^data:[^,]*?(;base64)?,/i, 'data:application/octet-stream$1,');
