import { useQuery } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { callerQuery } from '../../api/caller.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say } from '../../ui/toasts.tsx';
import { traceListSearch, type TraceListSearch } from './trace-list-search.ts';

/** Views that somebody keeps in this browser: a name for what stands in the address. */
interface SavedView {
  readonly name: string;
  readonly search: TraceListSearch;
}

/** Views name things of one workspace. */
const keyOf = (workspace: string) => `roadstead-trace-views:${workspace}`;
const listeners = new Set<() => void>();

/** The same array until something changes, as React asks for. */
let kept: { readonly text: string; readonly views: readonly SavedView[] } = { text: '', views: [] };

function readViews(workspace: string): readonly SavedView[] {
  const text = localStorage.getItem(keyOf(workspace)) ?? '[]';
  if (text !== kept.text) kept = { text, views: parsed(text) };
  return kept.views;
}

function parsed(text: string): readonly SavedView[] {
  try {
    const found = JSON.parse(text) as readonly Partial<SavedView>[];
    return found.flatMap(({ name, search }) =>
      typeof name === 'string' ? [{ name, search: traceListSearch({ ...search }) }] : [],
    );
  } catch {
    return [];
  }
}

function keep(workspace: string, views: readonly SavedView[]): void {
  localStorage.setItem(keyOf(workspace), JSON.stringify(views));
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

interface SavedViewsProps {
  readonly project: string;
  readonly search: TraceListSearch;
}

export function SavedViews({ project, search }: SavedViewsProps) {
  const { data: caller } = useQuery(callerQuery);
  const workspace = caller?.workspace?.id ?? 'every';
  const views = useSyncExternalStore(subscribe, () => readViews(workspace));
  const [open, setOpen] = useState<'save' | 'remove'>();
  const go = useGo();
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu
        label="Saved views"
        items={[
          ...views.map((view) => ({
            label: view.name,
            onSelect: () => go(at.project(project, view.search)),
          })),
          { label: 'Save this view …', onSelect: () => setOpen('save') },
          ...(views.length > 0 ? [{ label: 'Remove views …', onSelect: () => setOpen('remove') }] : []),
        ]}
      >
        Views
      </Menu>
      {open === 'save' && <SaveView workspace={workspace} search={search} onClose={close} />}
      <Dialog title="Saved views" isOpen={open === 'remove'} onClose={close}>
        <ul className="flex flex-col gap-2">
          {views.map(({ name }) => (
            <li key={name} className="flex items-center gap-2">
              <span className="min-w-0 flex-1 truncate">{name}</span>
              <Button
                small
                look="danger"
                onClick={() =>
                  keep(
                    workspace,
                    views.filter((one) => one.name !== name),
                  )
                }
              >
                Remove {name}
              </Button>
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  );
}

interface SaveViewProps {
  readonly workspace: string;
  readonly search: TraceListSearch;
  readonly onClose: () => void;
}

function SaveView({ workspace, search, onClose }: SaveViewProps) {
  const [name, setName] = useState('');
  const save = async () => {
    keep(workspace, [...readViews(workspace).filter((view) => view.name !== name), { name, search }]);
    say({ text: `The view ${name} is kept in this browser. Its address works for others too.` });
    return Promise.resolve();
  };
  return (
    <FormDialog title="Save this view" isOpen onClose={onClose} submit="Save" onSubmit={save}>
      <TextField
        label="Name"
        required
        value={name}
        onChange={({ target: { value } }) => setName(value)}
        hint="Filter, period and kind of runs are kept, for every project."
      />
    </FormDialog>
  );
}
