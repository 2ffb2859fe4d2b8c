/** Pages by characters, without a cursor and without state (reference/mcp.md 2.12). */

export interface PageRequest {
  readonly key: string;
  readonly page_number: number;
  readonly max_chars_per_page: number;
  readonly preview_chars: number;
}

export const MAX_CHARS = 30_000;

/** The one page that all items are on, cut to fit. */
export function singlePage(
  items: readonly unknown[],
  request: Omit<PageRequest, 'page_number'>,
): Record<string, unknown> {
  const budget = Math.min(request.max_chars_per_page, MAX_CHARS);
  return fit(items, { ...request, page_number: 1 }, 1, budget);
}

export function paginate(items: readonly unknown[], request: PageRequest): Record<string, unknown> {
  const budget = Math.min(request.max_chars_per_page, MAX_CHARS);
  const pages = pack(items, request.preview_chars, budget);
  return fit(pages[request.page_number - 1] ?? [], request, pages.length, budget);
}

/** Greedy and in order: what alone is too large has a page for itself. */
function pack(items: readonly unknown[], preview_chars: number, budget: number): unknown[][] {
  // The envelope needs room too, so that a full page need not be cut.
  const room = Math.max(200, budget - ENVELOPE);
  const pages: { items: unknown[]; size: number }[] = [];
  for (const item of items) {
    const size = lengthOf(JSON.stringify(preview(item, preview_chars))) + 1;
    const last = pages.at(-1);
    if (last === undefined || (last.size + size > room && last.items.length > 0))
      pages.push({ items: [item], size });
    else {
      last.items.push(item);
      last.size += size;
    }
  }
  return pages.map((page) => page.items);
}

const ENVELOPE = 300;

/** Cuts texts further until the answer fits; if nothing helps, says so with the head of what there was. */
function fit(
  items: readonly unknown[],
  { key, page_number, preview_chars }: PageRequest,
  total_pages: number,
  budget: number,
): Record<string, unknown> {
  const around = { page_number, total_pages, max_chars_per_page: budget, preview_chars };
  const cuts = [preview_chars, 2000, 1000, 500, 200, 100, 50, 20].filter(
    (cut, at) => at === 0 || preview_chars <= 0 || cut < preview_chars,
  );
  for (const cut of cuts) {
    const answer = { [key]: items.map((item) => preview(item, cut)), ...around };
    if (lengthOf(JSON.stringify(answer)) <= budget) return answer;
  }
  const head = JSON.stringify(items.map((item) => preview(item, 20)));
  const truncated = {
    [key]: [],
    ...around,
    _truncated: true,
    _truncated_message:
      'This page does not fit the character budget; ask with a smaller limit, or for one trace.',
    _truncated_preview: '',
  };
  const left = budget - lengthOf(JSON.stringify(truncated));
  return {
    ...truncated,
    _truncated_preview: Array.from(head.replaceAll(/["\\]/g, ' '))
      .slice(0, Math.max(0, Math.floor(left / 2)))
      .join(''),
  };
}

/** Each long text of a value, keys excepted, cut with how many characters it lost. */
export function preview(value: unknown, chars: number): unknown {
  if (chars <= 0) return value;
  if (typeof value === 'string') return cut(value, chars);
  if (Array.isArray(value)) return value.map((one: unknown) => preview(one, chars));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, preview(inner, chars)]));
}

function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const points = Array.from(text);
  return points.length <= chars
    ? text
    : `${points.slice(0, chars).join('')}... (+${points.length - chars} chars)`;
}

const lengthOf = (text: string) => text.length;
