import { TimeSlice } from '@roadstead/kit';
import { shown, type ShownItem } from './shown-item-rules.ts';

/** Prepares items for display, in time slices. */
export async function shownItems(items: readonly unknown[], preview_chars: number): Promise<ShownItem[]> {
  const slice = new TimeSlice();
  const made: ShownItem[] = [];
  for (const item of items) {
    made.push(shown(item, preview_chars));
    if (slice.isOver()) await slice.next();
  }
  return made;
}
