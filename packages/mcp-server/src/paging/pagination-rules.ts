import { lengthToCut, MAX_CHARS, type ShownItem } from './shown-item-rules.ts';
import { countCut, headOf, preview, textLengths, written } from './text-cut-rules.ts';

/**
 * Pages by characters, without a cursor and without state. The budget applies to the whole serialised answer, in
 * UTF-16 units, for any items; and the pages from 1 to `total_pages` hold every item once, in order. The contents of
 * a page depend only on its items and those before, so that items added at the end leave every page but the last
 * unchanged.
 */

export const MIN_CHARS = 1000;
export const DEFAULT_CHARS = 25_000;
export const DEFAULT_PREVIEW = 150;

/** Texts are cut to fewer characters than this only when the caller asks for it: ids and times stay whole. */
const SHORTEST_CUT = 40;

/** No answer has more pages or cut texts. */
const MOST = 99_999;

export interface PageRequest {
  /** The name of the items in the answer. */
  readonly key: string;
  readonly page_number: number;
  readonly max_chars_per_page: number;
  /** Longer texts are cut to this many code points; 0 or less cuts none until the budget asks for it. */
  readonly preview_chars: number;
  /** Further members of the answer. */
  readonly more?: Readonly<Record<string, unknown>> & { readonly note?: string };
  /** How to read cut texts whole; included only where something is cut. */
  readonly when_cut?: string;
}

export type Page = Readonly<Record<string, unknown>> & { readonly note?: string };

/** The characters that a page may have, within the requested number. */
function budgetOf(max_chars_per_page: number): number {
  return Math.min(max_chars_per_page, MAX_CHARS);
}

/** One page of the items. An item that is too large gets a page of its own, where its texts are cut further. */
export function paginate(items: readonly ShownItem[], request: PageRequest): Page {
  const pages = pack(items, request);
  const frame = { request, total_pages: pages.length };
  const page = pages[request.page_number - 1];
  if (page === undefined) return answer([], frame, beyond(request.page_number, pages.length));
  return plain(fitted(page, frame) ?? headOnly(page, frame));
}

/** All items as a single page: first texts are cut further, then the last items are left out. */
export function batch(items: readonly ShownItem[], request: PageRequest): Page {
  const frame = { request, total_pages: 1 };
  if (request.page_number > 1) return answer([], frame, beyond(request.page_number, 1));
  const first = firstThatFit(items, frame);
  const values = items.slice(0, first.length).map(({ value }) => value);
  const whole = first.length === items.length ? fitted(values, frame) : undefined;
  if (whole !== undefined) return plain(whole);
  const cut = items.length > 1 ? { ...frame, request: withMore(request) } : frame;
  return plain(firstOnes(first, { ...cut, count: items.length }) ?? headOnly(values.slice(0, 1), cut));
}

/** Items that were left out count as more, for answers with such a member. */
const withMore = (request: PageRequest): PageRequest =>
  request.more?.['has_more'] === undefined
    ? request
    : { ...request, more: { ...request.more, has_more: true } };

const plain = (page: Page) => written(page) as Page;

/** Whether a batch of these might hold further ones, with all texts as short as possible. */
export function couldFit(items: readonly ShownItem[], max_chars_per_page: number): boolean {
  const shortest = items.reduce((sum, { value }) => sum + lengthOf(preview(value, SHORTEST_CUT)), 0);
  return shortest < budgetOf(max_chars_per_page);
}

/**
 * The first items that could fit into a page with their texts as short as possible, and one more, cut accordingly.
 */
function firstThatFit(items: readonly ShownItem[], frame: Frame): unknown[] {
  const first: unknown[] = [];
  let room = budgetOf(frame.request.max_chars_per_page);
  for (const { value } of items) {
    if (room < 0) break;
    const short = preview(value, shortestCut(frame));
    room -= lengthOf(short);
    first.push(short);
  }
  return first;
}

interface Frame {
  readonly request: PageRequest;
  readonly total_pages: number;
}

function answer(items: readonly unknown[], { request, total_pages }: Frame, last: Page = {}): Page {
  const truncated_fields = countCut(items);
  const when_cut = truncated_fields > 0 || last['_truncated'] === true ? request.when_cut : undefined;
  const notes = [request.more?.note, last['note'], when_cut].filter((note) => note !== undefined);
  return {
    [request.key]: items,
    page_number: request.page_number,
    total_pages,
    max_chars_per_page: budgetOf(request.max_chars_per_page),
    preview_chars: request.preview_chars,
    truncated_fields,
    ...request.more,
    ...last,
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  };
}

const lengthOf = (page: unknown) => JSON.stringify(page).length;
const fits = (page: Page, { request }: Frame) => lengthOf(page) <= budgetOf(request.max_chars_per_page);

function beyond(page_number: number, total_pages: number): Page {
  if (total_pages > 0) return { note: `There is no page ${page_number}; the last one is ${total_pages}.` };
  return page_number === 1 ? {} : { note: `There is no page ${page_number}; nothing was found.` };
}

/** Greedy, in order: only an item that is too large alone makes a page that doesn't fit as it is. */
function pack(items: readonly ShownItem[], request: PageRequest): unknown[][] {
  // The most that everything around the items can take, the same for every page and for any number of items.
  const frame = { request: { ...request, page_number: MOST }, total_pages: MOST };
  const cut =
    request.when_cut === undefined ? {} : { note: `${request.more?.note ?? ''} ${request.when_cut}` };
  const around = { ...answer([], frame), truncated_fields: MOST, ...cut };
  const room = budgetOf(request.max_chars_per_page) - lengthOf(around);
  const pages: unknown[][] = [];
  let left = 0;
  for (const { value, size } of items) {
    const page = pages.at(-1);
    if (page === undefined || size + 1 > left) {
      pages.push([value]);
      left = room - size - 1;
    } else {
      page.push(value);
      left -= size + 1;
    }
  }
  return pages;
}

/** The items with their texts cut as little as possible; undefined where no cut helps. */
function fitted(items: readonly unknown[], frame: Frame): Page | undefined {
  const whole = answer(items, frame);
  if (fits(whole, frame)) return whole;
  const lengths = textLengths(items);
  const longest = Math.min(
    lengths.reduce((most, one) => Math.max(most, one), 0),
    lengthToCut(lengths),
  );
  const cutTo = (chars: number) =>
    answer(
      items.map((item) => preview(item, chars)),
      frame,
    );
  const most = largest(shortestCut(frame), longest, (chars) => fits(cutTo(chars), frame));
  return most === undefined ? undefined : cutTo(most);
}

/** As many of the first items as fit, with their texts as short as possible. */
function firstOnes(short: readonly unknown[], frame: Frame & { readonly count: number }): Page | undefined {
  const first = (count: number) =>
    answer(short.slice(0, count), frame, {
      _truncated: true,
      _truncated_message: `Only the first ${count} of ${frame.count} fit into max_chars_per_page. For the others, narrow the query or move its time bounds past the last one shown.`,
    });
  const most = largest(1, short.length, (count) => fits(first(count), frame));
  return most === undefined ? undefined : first(most);
}

/** Only the beginning of the items' JSON, for items that can’t be made to fit. */
function headOnly(items: readonly unknown[], frame: Frame): Page {
  const json = JSON.stringify(items.map((item) => preview(item, shortestCut(frame))));
  const head = (chars: number) =>
    answer([], frame, {
      _truncated: true,
      _truncated_message:
        'This does not fit into max_chars_per_page even with its texts cut; ask again with more characters. `_truncated_preview` is its beginning.',
      _truncated_preview: headOf(json, chars),
    });
  return head(largest(0, json.length, (chars) => fits(head(chars), frame)) ?? 0);
}

function shortestCut({ request }: Frame): number {
  return request.preview_chars > 0 ? Math.min(request.preview_chars, SHORTEST_CUT) : SHORTEST_CUT;
}

/**
 * The largest number from `low` to `high` that is good, provided that all numbers below a good one are good;
 * undefined if none is.
 */
function largest(low: number, high: number, isGood: (n: number) => boolean): number | undefined {
  if (!isGood(low)) return undefined;
  let good = low;
  let bad = Math.max(low, high) + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isGood(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
