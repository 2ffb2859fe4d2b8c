import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/toasts.tsx';

interface SelectionBarProps {
  readonly dataset: string;
  readonly marked: ReadonlySet<string>;
  readonly onDone: () => void;
}

/** What one can do with the examples that are marked. */
export function SelectionBar({ dataset, marked, onDone }: SelectionBarProps) {
  const [dialog, setDialog] = useState<'split' | 'delete'>();
  const client = useQueryClient();
  const ids = [...marked];
  const words = ids.length === 1 ? '1 example' : `${ids.length} examples`;
  const finish = async (text: string) => {
    await client.invalidateQueries({ queryKey: ['datasets'] });
    say({ text });
    onDone();
  };
  const remove = async () => {
    await traces.deleteExamples({ query: { example_ids: ids } });
    await finish(`Deleted ${words}.`);
  };
  const close = () => setDialog(undefined);
  return (
    <div className="flex items-center gap-2 border-b border-line bg-accent-soft px-4 py-1.5">
      <span className="mr-auto">{words} marked</span>
      <Button small needs="datasets:write" onClick={() => setDialog('split')}>
        Splits
      </Button>
      <Button small look="danger" needs="datasets:write" onClick={() => setDialog('delete')}>
        Delete
      </Button>
      <Button small look="quiet" onClick={onDone}>
        Unmark
      </Button>
      {dialog === 'split' && (
        <SplitDialog dataset={dataset} ids={ids} words={words} onClose={close} onDone={finish} />
      )}
      {dialog === 'delete' && (
        <FormDialog
          title={`Delete ${words}?`}
          submit="Delete"
          danger
          isOpen
          onClose={close}
          onSubmit={remove}
        >
          <p>They go from the newest version; earlier versions keep them.</p>
        </FormDialog>
      )}
    </div>
  );
}

interface SplitDialogProps {
  readonly dataset: string;
  readonly ids: readonly string[];
  readonly words: string;
  readonly onClose: () => void;
  readonly onDone: (text: string) => Promise<void>;
}

function SplitDialog({ dataset, ids, words, onClose, onDone }: SplitDialogProps) {
  const [name, setName] = useState('');
  const [isRemoval, setRemoval] = useState(false);
  const run = async () => {
    await traces.updateDatasetSplits({
      params: { dataset_id: dataset },
      body: { split_name: name, examples: [...ids], remove: isRemoval },
    });
    await onDone(isRemoval ? `Took ${words} out of ${name}.` : `Put ${words} into ${name}.`);
  };
  return (
    <FormDialog title="Splits" submit="Save" isOpen onClose={onClose} onSubmit={run}>
      <TextField
        label="Split"
        hint="A name such as test or train; a new one begins a split."
        required
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <CheckField
        label="Take the examples out of it"
        checked={isRemoval}
        onChange={({ target }) => setRemoval(target.checked)}
      />
    </FormDialog>
  );
}
