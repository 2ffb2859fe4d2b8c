import { isTooLarge } from '../access/answer-reader.ts';
import { batch, DEFAULT_CHARS, type PageRequest } from '../paging/pagination-rules.ts';
import { shownItems } from '../paging/shown-items.ts';
import { z } from 'zod';
import { whole } from './input-rules.ts';
import { unexpectedAnswer } from './tool-error.ts';
import type { ToolResult } from './tool.ts';

/** Answers with a list, which continues at an offset, or with one record; neither is longer than a page. */

/** The API's limit for one call. */
const MAX_LIST = 100;

/** The inputs of every list. */
export const listInputs = (limit: number) => ({
  limit: whole({ min: 1, fallback: limit, doc: 'Up to 100.' }),
  offset: whole({ min: 0, fallback: 0, doc: 'Skip so many.' }),
});

/** Members that every list has beside its items. */
export const listOutput = { has_more: z.boolean(), next_offset: z.int(), _truncated: z.boolean() };

export interface Range {
  readonly limit: number;
  readonly offset: number;
}

interface Some<T> {
  readonly items: readonly T[];
  readonly has_more: boolean;
}

/** Reads a part of a list, and whether there is more; fewer items where the answer would be too large to read. */
export async function readSome<T>(
  ask: (page: Range) => Promise<readonly T[]>,
  { limit, offset }: Range,
): Promise<Some<T>> {
  const most = Math.min(limit, MAX_LIST);
  const read = async (page: Range): Promise<readonly T[]> => {
    const items: unknown = await ask(page);
    if (!Array.isArray(items)) throw unexpectedAnswer();
    return items.map((item: T) => requireRecord(item));
  };
  for (let wanted = most; ; wanted = Math.max(1, Math.floor(wanted / 5))) {
    try {
      const items = await read({ limit: Math.min(wanted + 1, MAX_LIST), offset });
      if (items.length > wanted) return { items: items.slice(0, wanted), has_more: true };
      const next = items.length < MAX_LIST ? [] : await read({ limit: 1, offset: offset + MAX_LIST });
      return { items, has_more: next.length > 0 };
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      // With the next item it is too large, so there is a next one.
      if (wanted === 1) return { items: await read({ limit: 1, offset }), has_more: true };
    }
  }
}

interface ListAnswer extends Some<unknown>, Pick<PageRequest, 'key' | 'when_cut'> {
  readonly offset: number;
  readonly max_chars_per_page?: number;
  readonly preview_chars?: number;
  /** Further members of the answer, given the number of items shown. */
  readonly more?: (shown: number) => Readonly<Record<string, unknown>>;
}

/** As many of the items as fit, and where the list continues. */
export async function listAnswer(list: ListAnswer): Promise<ToolResult> {
  const { key, items, offset, preview_chars = 0, max_chars_per_page = DEFAULT_CHARS } = list;
  const more = list.more ?? (() => ({}));
  const going = (shown: number) =>
    list.has_more || shown < items.length ? { next_offset: offset + shown } : {};
  const page = batch(await shownItems(items, preview_chars), {
    key,
    page_number: 1,
    max_chars_per_page,
    preview_chars,
    ...(list.when_cut === undefined ? {} : { when_cut: list.when_cut }),
    more: { has_more: list.has_more, ...going(items.length), ...more(items.length) },
  });
  const answer = withoutPaging(page);
  const shown = (answer[key] as readonly unknown[]).length;
  if (shown === items.length) return answer;
  // An item that can't be shown at all is skipped, or nobody could get past it.
  const passed = Math.max(1, shown);
  const next = `Call again with offset ${offset + passed} for the others.`;
  return {
    ...answer,
    has_more: list.has_more || passed < items.length,
    ...going(passed),
    ...more(shown),
    _truncated_message:
      shown > 0
        ? `Only the first ${shown} of ${items.length} fit. ${next}`
        : `The first one is too long; _truncated_preview is its beginning. ${next}`,
  };
}

interface RecordAnswer extends Pick<PageRequest, 'key' | 'when_cut' | 'more'> {
  /** Called where something of the record is cut. */
  readonly onCut?: () => void;
}

/** One record, whole unless it is longer than a page; then its texts are cut as little as possible. */
export async function recordAnswer(
  value: unknown,
  { key, when_cut, more = {}, onCut }: RecordAnswer,
): Promise<ToolResult> {
  const page = batch(await shownItems([value], 0), {
    key,
    page_number: 1,
    max_chars_per_page: DEFAULT_CHARS,
    preview_chars: 0,
    more,
    ...(when_cut === undefined ? {} : { when_cut }),
  });
  const { [key]: items, truncated_fields, ...membersOf } = withoutPaging(page);
  const [shown] = items as readonly unknown[];
  if (truncated_fields === 0 && shown !== undefined) return { [key]: shown, ...more };
  onCut?.();
  return { ...(shown === undefined ? {} : { [key]: shown }), truncated_fields, ...membersOf };
}

const paging: ReadonlySet<string> = new Set([
  'page_number',
  'total_pages',
  'max_chars_per_page',
  'preview_chars',
]);
/** Neither has pages. */
const withoutPaging = (page: ToolResult): ToolResult =>
  Object.fromEntries(Object.entries(page).filter(([name]) => !paging.has(name)));

/**
 * Requires one record, from any server.
 * @param key a member that every such record has
 * @throws Problem where it is no such record
 */
export function requireRecord<T>(answer: T, key?: string): T & object {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw unexpectedAnswer();
  if (key !== undefined && !Object.hasOwn(answer, key)) throw unexpectedAnswer();
  return answer;
}

/** The members of a record that have a value. */
export function membersOf<Name extends string>(
  record: Readonly<Partial<Record<Name, unknown>>> | null | undefined,
  names: readonly Name[],
): Record<string, unknown> {
  const pairs = names.map((name) => [name, record?.[name]] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== null && value !== undefined));
}
