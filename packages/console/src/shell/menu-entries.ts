import type { Access } from '@roadstead/contracts';
import type { Target } from '../router/addresses.ts';
import type { IconName } from '../ui/icons.tsx';

/** A page that one goes to by its name. */
export interface NamedPage {
  readonly label: string;
  readonly target: Target;
  /** The access without which there is nothing to see. */
  readonly needs: Access;
}

export interface MenuEntry extends NamedPage {
  readonly icon: IconName;
  readonly group: 'Agents' | 'Observe' | 'Improve' | 'Workspace';
}

/**
 * The entries of the menu. The shell shows what views there are, and a view is a route within the shell; so the views
 * are told to it when the page begins.
 */
let entries: readonly MenuEntry[] = [];
let pages: readonly NamedPage[] = [];

export function setMenuEntries(all: readonly MenuEntry[], deeper: readonly NamedPage[]): void {
  entries = all;
  pages = [...all, ...deeper];
}
export const menuEntries = (): readonly MenuEntry[] => entries;
/** Those of the menu, and those below them. */
export const namedPages = (): readonly NamedPage[] => pages;
