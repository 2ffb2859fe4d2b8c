import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import type { Example } from '../../api/datasets.ts';
import { mayDo } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Editor } from '../../ui/editor.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { say } from '../../ui/toasts.tsx';
import { useDatasetChange } from './dataset-search.ts';
import { type ExampleTexts, textsOf, useSaveExample, valueFields } from './example-texts.ts';
import { LeaveDialog, useDraft } from './leave-dialog.tsx';

interface ExamplePanelProps {
  readonly dataset: string;
  /** The example to edit; a new one without it. */
  readonly example: Example | undefined;
  readonly isReadOnly: boolean;
  readonly onClose: () => void;
}

/** Edits the values of an example as JSON, beside the table. */
export function ExamplePanel({ dataset, example, isReadOnly, onClose }: ExamplePanelProps) {
  const draft = useDraft(textsOf(example));
  const { texts } = draft;
  const [fault, setFault] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const save = useSaveExample(dataset, example);
  const locked = isReadOnly || !mayDo('datasets:write');
  const run = async () => {
    setFault(undefined);
    try {
      await save(texts, draft.keep);
      if (example === undefined) onClose();
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  useShortcuts([
    { key: 'mod+s', does: 'Save the example', needs: 'datasets:write', run: () => void (locked || run()) },
  ]);
  return (
    <aside
      aria-label="Example"
      className="flex max-h-[60%] min-h-0 w-full flex-col border-t border-line bg-card lg:max-h-none lg:w-md lg:border-t-0 lg:border-l"
    >
      <header className="flex items-center gap-2 border-b border-line px-4 py-2">
        <h2 className="font-semibold">{example === undefined ? 'New example' : 'Example'}</h2>
        {example && <code className="min-w-0 truncate text-xs text-quiet">{example.id}</code>}
        <button type="button" aria-label="Close the example" className="ml-auto p-1" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-4">
        <ValueEditors texts={texts} locked={locked} onWrite={draft.write} />
        <TextField
          label="Splits"
          hint="Names with commas between them."
          value={texts.splits}
          disabled={locked}
          onChange={({ target }) => draft.write({ splits: target.value })}
        />
        {fault !== undefined && <Fault text={fault} />}
      </div>
      {!locked && (
        <footer className="flex gap-2 border-t border-line px-4 py-2">
          <Button look="main" needs="datasets:write" onClick={() => void run()}>
            {example === undefined ? 'Add the example' : 'Save'}
          </Button>
          {example && (
            <Button look="danger" needs="datasets:write" onClick={() => setDeleting(true)}>
              Delete
            </Button>
          )}
        </footer>
      )}
      {isDeleting && example && (
        <DeleteExample example={example} onDeleted={draft.keep} onClose={() => setDeleting(false)} />
      )}
      <LeaveDialog draft={draft} />
    </aside>
  );
}

interface ValueEditorsProps {
  readonly texts: ExampleTexts;
  readonly locked: boolean;
  readonly onWrite: (some: Partial<ExampleTexts>) => void;
}

const ValueEditors = ({ texts, locked, onWrite }: ValueEditorsProps) =>
  valueFields.map(({ name, label, height }) => (
    <div key={name} className="flex flex-col gap-1">
      <h3 className="font-medium">{label}</h3>
      <Editor
        label={label}
        height={height}
        value={texts[name]}
        readOnly={locked}
        onChange={(text) => onWrite({ [name]: text })}
      />
    </div>
  ));

const Fault = ({ text }: { readonly text: string }) => (
  <p role="alert" className="border-l-4 border-bad bg-bad-soft px-3 py-2 wrap-anywhere text-bad">
    {text}
  </p>
);

interface DeleteExampleProps {
  readonly example: Example;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

function DeleteExample({ example, onDeleted, onClose }: DeleteExampleProps) {
  const [client, change] = [useQueryClient(), useDatasetChange()];
  const remove = async () => {
    await traces.deleteExample({ params: { example_id: example.id } });
    onDeleted();
    say({ text: 'Deleted the example.' });
    change({ example: undefined });
    await client.invalidateQueries({ queryKey: ['datasets'] });
  };
  return (
    <FormDialog title="Delete the example?" submit="Delete" danger isOpen onClose={onClose} onSubmit={remove}>
      <p>It goes from the newest version; earlier versions keep it.</p>
    </FormDialog>
  );
}
