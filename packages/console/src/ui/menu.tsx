import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import type { Access } from '@roadstead/contracts';
import { mayDo } from '../session/session.ts';
import { classes } from './classes.ts';
import { Icon } from './icons.tsx';

interface MenuItem {
  readonly label: string;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  readonly needs?: Access;
  /** Why it can't be chosen now. */
  readonly because?: string | undefined;
}

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** What the button shows; three dots by default. */
  readonly children?: ReactNode;
}

/** Actions behind a button. Those that the caller may not do are not there. */
export function Menu({ label, items, children }: MenuProps) {
  const allowed = items.filter(({ needs }) => needs === undefined || mayDo(needs));
  if (allowed.length === 0) return null;
  return (
    <Base.Root>
      <Base.Trigger
        aria-label={label}
        className="inline-flex min-h-8 items-center gap-1.5 rounded-md border border-line bg-card px-2 hover:bg-sunk"
      >
        {children ?? <Icon name="more" />}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-40">
          <Base.Popup className="min-w-44 rounded-md border border-line bg-raised py-1 shadow-lg outline-none">
            {allowed.map(({ label: text, onSelect, danger = false, because }) => (
              <Base.Item
                key={text}
                disabled={because !== undefined}
                title={because}
                onClick={onSelect}
                className={classes(
                  'px-3 py-1.5 outline-none data-disabled:opacity-50 data-highlighted:bg-sunk',
                  danger && 'text-bad',
                )}
              >
                {text}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
