import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { createExample, type Example, replaceExample } from '../../api/datasets.ts';
import { mayDo } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Editor } from '../../ui/editor.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { say } from '../../ui/toasts.tsx';
import { pretty, readObject } from '../../words/value-rules.ts';
import { useDatasetChange } from './dataset-search.ts';
import { namesIn, ownMetadata, splitsOf } from './example-rules.ts';
import { LeaveDialog, useDraft } from './leave-dialog.tsx';

interface ExamplePanelProps {
  readonly dataset: string;
  /** The example to edit; a new one without it. */
  readonly example: Example | undefined;
  readonly isReadOnly: boolean;
  readonly onClose: () => void;
}

const fields = [
  { name: 'inputs', label: 'Inputs', height: '9rem' },
  { name: 'outputs', label: 'Outputs', height: '9rem' },
  { name: 'metadata', label: 'Metadata', height: '5rem' },
] as const;
type Texts = Readonly<Record<(typeof fields)[number]['name'] | 'splits', string>>;

/** Edits the values of an example as JSON, beside the table. */
export function ExamplePanel({ dataset, example, isReadOnly, onClose }: ExamplePanelProps) {
  const draft = useDraft(textsOf(example));
  const { texts } = draft;
  const [fault, setFault] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const save = useSave({ dataset, example, onSaved: draft.keep, onClose });
  const locked = isReadOnly || !mayDo('datasets:write');
  const run = async () => {
    setFault(undefined);
    await save(texts).catch((error: unknown) =>
      setFault(error instanceof Error ? error.message : String(error)),
    );
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
        {fields.map(({ name, label, height }) => (
          <div key={name} className="flex flex-col gap-1">
            <h3 className="font-medium">{label}</h3>
            <Editor
              label={label}
              height={height}
              value={texts[name]}
              readOnly={locked}
              onChange={(text) => draft.write({ [name]: text })}
            />
          </div>
        ))}
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

const Fault = ({ text }: { readonly text: string }) => (
  <p role="alert" className="border-l-4 border-bad bg-bad-soft px-3 py-2 wrap-anywhere text-bad">
    {text}
  </p>
);

const textsOf = (example: Example | undefined): Texts => ({
  inputs: example ? pretty(example.inputs) : '{\n  "question": ""\n}',
  outputs: example ? pretty(example.outputs) : '',
  metadata: example ? pretty(ownMetadata(example)) : '',
  splits: example ? splitsOf(example).join(', ') : '',
});

interface SaveOptions {
  readonly dataset: string;
  readonly example: Example | undefined;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

function useSave({ dataset, example, onSaved, onClose }: SaveOptions) {
  const client = useQueryClient();
  return async (texts: Texts): Promise<void> => {
    const [inputs, outputs, metadata] = fields.map(({ name, label }) => {
      const read = readObject(texts[name]);
      if (read.kind === 'fault') throw new Error(`${label}: ${read.fault}`);
      return read.value;
    });
    const values = {
      inputs: inputs ?? {},
      outputs,
      metadata: { ...metadata, dataset_split: namesIn(texts.splits) },
    };
    if (example === undefined) await createExample(dataset, values);
    else await replaceExample(example.id, values);
    onSaved();
    say({ text: example === undefined ? 'Added the example.' : 'Saved the example.' });
    if (example === undefined) onClose();
    await client.invalidateQueries({ queryKey: ['datasets'] });
  };
}

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
