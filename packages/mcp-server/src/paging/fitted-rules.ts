import { batch, DEFAULT_CHARS } from './pagination-rules.ts';
import { shown } from './shown-item-rules.ts';

/** Fits few and small items into an answer, unchanged or with their texts cut. */

/** As many of the first items as fit. */
export function fittedItems(items: readonly object[], preview_chars: number): readonly unknown[] {
  const page = batch(
    items.map((item) => shown(item, preview_chars)),
    { key: 'items', page_number: 1, max_chars_per_page: DEFAULT_CHARS, preview_chars },
  );
  return page['items'] as readonly unknown[];
}

/** The item; where it can’t be made to fit, only its texts and numbers. */
export function fittedItem(item: object, preview_chars: number): unknown {
  const [whole] = fittedItems([item], preview_chars);
  if (whole !== undefined) return whole;
  const plain = Object.entries(item).filter(([, value]) => typeof value !== 'object');
  return fittedItems([Object.fromEntries(plain)], preview_chars)[0];
}
