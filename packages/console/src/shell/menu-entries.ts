import type { Access } from '@roadstead/contracts';
import type { Target } from '../router/addresses.ts';
import type { IconName } from '../ui/icons.tsx';

export interface MenuEntry {
  readonly label: string;
  readonly icon: IconName;
  readonly target: Target;
  /** The access without which there is nothing to see. */
  readonly needs: Access;
  readonly group: 'Agents' | 'Observe' | 'Improve' | 'Workspace';
}

/**
 * The entries of the menu. The shell shows what views there are, and a view is a route within the shell; so the views
 * are told to it when the page begins.
 */
let entries: readonly MenuEntry[] = [];

export const setMenuEntries = (all: readonly MenuEntry[]): void => void (entries = all);
export const menuEntries = (): readonly MenuEntry[] => entries;
