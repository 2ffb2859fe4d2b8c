import { TimeSlice } from '@roadstead/kit';

/** Serves a whole value as text: in pages where no model could take it at once. */

export const PAGE_CHARS = 60_000;

export interface TextPage {
  readonly text: string;
  readonly total_pages: number;
}

/** A page of a text, from 1; undefined where there is none. No character is split. */
export function pageOfText(text: string, page: number): TextPage | undefined {
  const total_pages = Math.max(1, Math.ceil(text.length / PAGE_CHARS));
  if (page > total_pages) return undefined;
  return { text: text.slice(startOf(text, page), startOf(text, page + 1)), total_pages };
}

function startOf(text: string, page: number): number {
  const at = (page - 1) * PAGE_CHARS;
  const code = at < text.length ? text.charCodeAt(at) : 0;
  return code >= 0xdc_00 && code < 0xe0_00 ? at - 1 : at;
}

/** The JSON of a value of any size, written in time slices. */
export async function jsonText(value: unknown): Promise<string> {
  const slice = new TimeSlice();
  const pieces: string[] = [];
  for (const piece of piecesOf(value)) {
    pieces.push(piece);
    if (slice.isOver()) await slice.next();
  }
  return pieces.join('');
}

function* piecesOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) {
    yield JSON.stringify(value) ?? 'null';
  } else if (Array.isArray(value)) {
    yield '[';
    for (const [at, one] of value.entries()) {
      if (at > 0) yield ',';
      yield* piecesOf(one);
    }
    yield ']';
  } else {
    let before = '{';
    for (const [key, one] of Object.entries(value)) {
      if (one === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* piecesOf(one);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}
