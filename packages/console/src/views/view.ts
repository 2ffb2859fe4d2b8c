import type { AnyRoute } from '@tanstack/react-router';
import type { MenuEntry, NamedPage } from '../shell/menu-entries.ts';

/** A part of the console: its routes, and where the menu leads to it. */
export interface View {
  readonly routes: readonly AnyRoute[];
  readonly entries: readonly MenuEntry[];
  /** Pages that have no entry of their own, and are found by name. */
  readonly pages?: readonly NamedPage[];
}
