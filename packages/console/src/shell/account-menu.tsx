import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { type Caller, workspacesQuery } from '../api/caller.ts';
import { chooseWorkspace, signOut } from '../session/session.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { Menu } from '../ui/menu.tsx';
import { say } from '../ui/toasts.tsx';
import { applyTheme, readTheme, type Theme, themes } from './theme.ts';

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const names: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' };

const tell = ({ message }: Error) => say({ kind: 'error', text: message });

/** Who is signed in and where; the look of the page, and the way out. */
export function AccountMenu({ caller: { workspace, actor, name } }: { readonly caller: Caller }) {
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const [theme, setTheme] = useState(readTheme);
  const [isLeaving, setLeaving] = useState(false);
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
          {name ?? actor}
        </p>
      </div>
      <Menu
        label="Account"
        items={[
          ...workspaces
            .filter(({ id }) => id !== workspace?.id)
            .map(({ id, name: other }) => ({
              label: `Go to ${other}`,
              onSelect: () => chooseWorkspace(id),
            })),
          { label: `Colours: ${names[theme]}`, onSelect: turn },
          { label: 'Sign out', onSelect: () => void signOut(false).catch(tell) },
          { label: 'Sign out everywhere …', onSelect: () => setLeaving(true), danger: true },
        ]}
      />
      <FormDialog
        title="Sign out everywhere"
        isOpen={isLeaving}
        onClose={() => setLeaving(false)}
        submit="Sign out everywhere"
        danger
        onSubmit={() => signOut(true)}
      >
        <p>
          Every browser in which you are signed in is signed out, this one too. API keys stay as they are.
        </p>
      </FormDialog>
    </div>
  );
}
