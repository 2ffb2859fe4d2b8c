import { useState } from 'react';
import type { Caller } from '../api/caller.ts';
import { signOut } from '../session/session.ts';
import { Menu } from '../ui/menu.tsx';
import { applyTheme, readTheme, type Theme, themes } from './theme.ts';

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const names: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' };

/** Who is signed in and where; the look of the page, and the way out. */
export function AccountMenu({ caller: { workspace, actor } }: { readonly caller: Caller }) {
  const [theme, setTheme] = useState(readTheme);
  const turn = () => {
    const turned = themes.find((one) => one === next[theme]) ?? 'system';
    applyTheme(turned);
    setTheme(turned);
  };
  return (
    <div className="flex items-center gap-2 border-t border-line p-3">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{workspace?.name ?? 'every workspace'}</p>
        <p className="truncate text-xs text-quiet" title={actor}>
          {actor}
        </p>
      </div>
      <Menu
        label="Account"
        items={[
          { label: `Colours: ${names[theme]}`, onSelect: turn },
          { label: 'Sign out', onSelect: () => void signOut(false) },
          { label: 'Sign out everywhere', onSelect: () => void signOut(true), danger: true },
        ]}
      />
    </div>
  );
}
