import { Link } from '@tanstack/react-router';
import type { Caller } from '../api/caller.ts';
import { linkProps } from '../router/go.ts';
import { mayDo } from '../session/session.ts';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icons.tsx';
import { keyWords } from '../ui/keys-rules.ts';
import { AccountMenu } from './account-menu.tsx';
import { type MenuEntry, menuEntries } from './menu-entries.ts';

interface SidebarProps {
  readonly caller: Caller;
  /** Whether it is shown on a narrow screen. */
  readonly isOpen: boolean;
  readonly onSearch: () => void;
}

export function Sidebar({ caller, isOpen, onSearch }: SidebarProps) {
  const allowed = menuEntries().filter(({ needs }) => mayDo(needs));
  const groups = [...Map.groupBy(allowed, ({ group }) => group)];
  return (
    <nav
      aria-label="Menu"
      className={classes(
        'fixed inset-y-0 left-0 z-30 w-56 shrink-0 flex-col border-r border-line bg-card md:static md:flex',
        isOpen ? 'flex' : 'hidden',
      )}
    >
      <div className="flex items-center gap-2 px-4 pt-4 pb-2">
        <img src="/console/icon.svg" alt="" className="size-6" />
        <span className="text-base font-semibold">Roadstead</span>
      </div>
      <button
        type="button"
        onClick={onSearch}
        className="mx-3 my-2 flex items-center gap-2 rounded-md border border-line px-2 py-1 text-quiet hover:bg-sunk"
      >
        <Icon name="search" className="size-3.5" /> Go to …
        <kbd className="ml-auto font-mono text-2xs">{keyWords('mod+k', navigator.userAgent)}</kbd>
      </button>
      <div className="min-h-0 flex-1 overflow-y-auto px-3 pb-3">
        {groups.map(([group, entries]) => (
          <section key={group} aria-label={group} className="pt-2">
            <h2 className="px-2 pb-1 text-2xs font-semibold tracking-wide text-quiet uppercase">{group}</h2>
            {entries.map((entry) => (
              <Entry key={entry.label} entry={entry} />
            ))}
          </section>
        ))}
      </div>
      <AccountMenu caller={caller} />
    </nav>
  );
}

const Entry = ({ entry: { label, icon, target } }: { readonly entry: MenuEntry }) => (
  <Link
    {...linkProps(target)}
    activeOptions={{ exact: target.to === '/', includeSearch: false }}
    className="flex items-center gap-2.5 rounded-md px-2 py-1.5 text-quiet hover:bg-sunk hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
  >
    <Icon name={icon} /> {label}
  </Link>
);
