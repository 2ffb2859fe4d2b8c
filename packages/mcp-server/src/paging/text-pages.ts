import { TimeSlice } from '@roadstead/kit';

/** Splits a long text into pages that together are exactly the text. */

export interface TextPage {
  readonly text: string;
  readonly total_pages: number;
}

/**
 * A page of a text; each takes at most `room` UTF-16 units of JSON, without its quotes, and none splits a surrogate
 * pair. Built in time slices. Beyond the last page there is nothing; an empty text has one page.
 */
export async function textPage(
  text: string,
  { page_number, room }: { readonly page_number: number; readonly room: number },
): Promise<TextPage> {
  const slice = new TimeSlice();
  let total_pages = 0;
  let page = '';
  let start = 0;
  do {
    const end = endOfPage(text, { start, room });
    total_pages += 1;
    if (total_pages === page_number) page = text.slice(start, end);
    start = end;
    if (slice.isOver()) await slice.next();
  } while (start < text.length);
  return { text: page, total_pages };
}

function endOfPage(text: string, { start, room }: { readonly start: number; readonly room: number }): number {
  let left = room;
  let at = start;
  while (at < text.length) {
    const pair = (text.codePointAt(at) ?? 0) > 0xff_ff;
    left -= pair ? 2 : sizeOf(text.charCodeAt(at));
    if (left < 0 && at > start) break;
    at += pair ? 2 : 1;
  }
  return at;
}

const SHORT_ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\\b\f\n\r\t', (one) => one.charCodeAt(0)));

/** The size in JSON of one unit that is not part of a pair. */
function sizeOf(unit: number): number {
  if (SHORT_ESCAPES.has(unit)) return 2;
  return unit < 0x20 || (unit >= 0xd8_00 && unit <= 0xdf_ff) ? 6 : 1;
}
