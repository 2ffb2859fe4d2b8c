import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import type { Dataset } from '../../api/datasets.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { Snippet } from '../../ui/copy.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import { ImportDialog } from './import-dialog.tsx';

export type DatasetDialog =
  | { readonly kind: 'create' }
  | { readonly kind: 'import'; readonly file?: File; readonly dataset?: Dataset }
  | { readonly kind: 'rename' | 'share' | 'delete'; readonly dataset: Dataset };

interface DatasetDialogsProps {
  readonly dialog: DatasetDialog;
  readonly onClose: () => void;
  /** What follows once the dataset is deleted. */
  readonly onDeleted?: () => void;
}

/** The dialog that is open. */
export function DatasetDialogs({ dialog, onClose, onDeleted }: DatasetDialogsProps) {
  switch (dialog.kind) {
    case 'create':
      return <CreateDialog onClose={onClose} />;
    case 'import':
      return <ImportDialog file={dialog.file} dataset={dialog.dataset} onClose={onClose} />;
    case 'rename':
      return <RenameDialog dataset={dialog.dataset} onClose={onClose} />;
    case 'share':
      return <ShareDialog dataset={dialog.dataset} onClose={onClose} />;
    case 'delete':
      return <DeleteDialog dataset={dialog.dataset} onClose={onClose} onDeleted={onDeleted} />;
  }
}

interface CloseProps {
  readonly onClose: () => void;
}
interface DatasetProps extends CloseProps {
  readonly dataset: Dataset;
}

const useRefresh = () => {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['datasets'] });
};

function CreateDialog({ onClose }: CloseProps) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [refresh, go] = [useRefresh(), useGo()];
  const create = async () => {
    const { id } = await traces.createDataset({ body: { name, description: description || null } });
    await refresh();
    say({ text: `Made the dataset ${name}.` });
    go(at.dataset(id));
  };
  return (
    <FormDialog title="New dataset" submit="Make it" isOpen onClose={onClose} onSubmit={create}>
      <TextField label="Name" required value={name} onChange={({ target }) => setName(target.value)} />
      <TextArea
        label="Description"
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
    </FormDialog>
  );
}

function RenameDialog({ dataset, onClose }: DatasetProps) {
  const [name, setName] = useState(dataset.name);
  const [description, setDescription] = useState(dataset.description ?? '');
  const refresh = useRefresh();
  const rename = async () => {
    const params = { dataset_id: dataset.id };
    await traces.patchDataset({ params, body: { name, description: description || null } });
    await refresh();
    say({ text: `Changed the dataset ${name}.` });
  };
  return (
    <FormDialog title={`Rename ${dataset.name}`} submit="Save" isOpen onClose={onClose} onSubmit={rename}>
      <TextField label="Name" required value={name} onChange={({ target }) => setName(target.value)} />
      <TextArea
        label="Description"
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
    </FormDialog>
  );
}

interface DeleteDialogProps extends DatasetProps {
  readonly onDeleted: (() => void) | undefined;
}

function DeleteDialog({ dataset: { id, name, example_count }, onClose, onDeleted }: DeleteDialogProps) {
  const refresh = useRefresh();
  const remove = async () => {
    await traces.deleteDataset({ params: { dataset_id: id } });
    say({ text: `Deleted the dataset ${name}.` });
    onDeleted?.();
    await refresh();
  };
  return (
    <FormDialog title={`Delete ${name}?`} submit="Delete" danger isOpen onClose={onClose} onSubmit={remove}>
      <p>
        The dataset goes with its {example_count ?? 'many'} examples and all their versions. This can’t be
        undone.
      </p>
    </FormDialog>
  );
}

function ShareDialog({ dataset: { id, name }, onClose }: DatasetProps) {
  const params = { dataset_id: id };
  const client = useQueryClient();
  const queryKey = ['datasets', 'share', id];
  const share = useQuery({
    queryKey,
    queryFn: ({ signal }) => traces.readDatasetShare({ params, signal }),
  });
  const change = async (isShared: boolean) => {
    if (isShared) await traces.shareDataset({ params, query: { share_projects: 'true' } });
    else await traces.unshareDataset({ params });
    await client.invalidateQueries({ queryKey });
    say({ text: isShared ? `Shared ${name}.` : `${name} is no longer shared.` });
  };
  const run = (isShared: boolean) =>
    void change(isShared).catch((error: Error) => say({ kind: 'error', text: error.message }));
  return (
    <Dialog title={`Share ${name}`} isOpen onClose={onClose}>
      <Answer of={share}>
        {(found) =>
          found === null ? (
            <div className="flex flex-col items-start gap-3">
              <p>Anybody who has the link reads the examples and the experiments, without signing in.</p>
              <Button look="main" needs="datasets:admin" onClick={() => run(true)}>
                Make a link
              </Button>
            </div>
          ) : (
            <div className="flex flex-col items-start gap-3">
              <p>Anybody reads the dataset by this link:</p>
              <div className="w-full min-w-0">
                <Snippet label="The link" text={`${location.origin}/public/${found.share_token}/d`} />
              </div>
              <Button look="danger" needs="datasets:admin" onClick={() => run(false)}>
                Stop sharing
              </Button>
            </div>
          )
        }
      </Answer>
    </Dialog>
  );
}
