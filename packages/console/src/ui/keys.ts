import { createContext, useContext, useEffect, useRef } from 'react';
import { isPressed } from './keys-rules.ts';
import type { Access } from '@roadstead/contracts';
import { mayDo } from '../session/session.ts';

/** A key of the keyboard and what it does; `?` lists all of the page that is open. */
export interface Shortcut {
  /** As a keyboard names it: `n`, `Enter`, `mod+k` (Ctrl, or Command on a Mac). */
  readonly key: string;
  readonly does: string;
  /** Unset where a part of the page hears the key itself while it has the focus. */
  readonly run?: () => void;
  /** The access that it needs; without it the key does nothing, and is not listed. */
  readonly needs?: Access | readonly Access[];
}

const mayRun = ({ needs }: Shortcut) => needs === undefined || mayDo(needs);

const open = new Set<readonly Shortcut[]>();

/** The keys that work now. */
export const shortcuts = (): readonly Shortcut[] => [...open].flat().filter(mayRun);

const isTyping = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest('input, textarea, select, [contenteditable=true], [role=menu]') !== null;

/** Enter follows the link and presses the button that has the focus. */
const isOwnEnter = ({ key, target }: KeyboardEvent) =>
  key === 'Enter' && target instanceof Element && target.closest('a, button, summary, [role=grid]') !== null;

/** Whether a view stands in a dialog: while one is open, the keys of the page behind it rest. */
export const WithinDialog = createContext(false);

const isDialogOpen = () => document.querySelector('[role=dialog][data-open]') !== null;

/** Makes keys work while a view is there. While somebody types, only those with a modifier do. */
export function useShortcuts(list: readonly Shortcut[]): void {
  const current = useRef(list);
  current.current = list;
  const is_within = useContext(WithinDialog);
  const names = list.map(({ key }) => key).join(' ');
  useEffect(() => {
    const own = current.current.map((shortcut, index) => ({
      ...shortcut,
      ...(shortcut.run !== undefined && { run: () => current.current[index]?.run?.() }),
    }));
    open.add(own);
    const onKeyDown = (event: KeyboardEvent) => {
      const found = own.find((one) => isPressed(one.key, event) && mayRun(one));
      if (found?.run === undefined || event.defaultPrevented) return;
      if ((isTyping(event.target) || isOwnEnter(event)) && !found.key.startsWith('mod+')) return;
      // What a browser does at such a key would surprise as much.
      if (found.key.startsWith('mod+')) event.preventDefault();
      if (isDialogOpen() && !is_within) return;
      event.preventDefault();
      found.run();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => {
      open.delete(own);
      document.removeEventListener('keydown', onKeyDown);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- what a key does may change, which the reference follows
  }, [names, is_within]);
}
