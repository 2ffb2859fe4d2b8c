import type { AnyRoute } from '@tanstack/react-router';
import type { MenuEntry } from '../shell/menu-entries.ts';

/** A part of the console: its routes, and where the menu leads to it. */
export interface View {
  readonly routes: readonly AnyRoute[];
  readonly entries: readonly MenuEntry[];
}
