import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { datasetChoices, queueChoices } from '../../api/choices.ts';
import { ChoiceField } from '../../choices/choice-field.tsx';
import { at } from '../../router/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { GoTo } from '../../ui/link.tsx';
import { say } from '../../ui/toasts.tsx';

/** A run that is put somewhere. */
interface ChosenRun {
  readonly id: string;
  readonly start_time: string;
}

interface RunsProps {
  readonly runs: readonly ChosenRun[];
  readonly onClose: () => void;
}

interface SelectionBarProps {
  readonly project: string;
  readonly runs: readonly ChosenRun[];
  readonly onClear: () => void;
}

/** What can be done with the runs that are marked. */
export function SelectionBar({ project, runs, onClear }: SelectionBarProps) {
  const [open, setOpen] = useState<'dataset' | 'queue'>();
  const close = () => setOpen(undefined);
  if (runs.length === 0) return null;
  return (
    <div
      role="toolbar"
      aria-label="Marked runs"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-accent-soft px-4 py-1.5"
    >
      <span className="font-medium">{runs.length} marked</span>
      <Button small needs="datasets:write" onClick={() => setOpen('dataset')}>
        Add to dataset
      </Button>
      <Button small needs="feedback:write" onClick={() => setOpen('queue')}>
        Add to annotation queue
      </Button>
      <Button small look="quiet" onClick={onClear}>
        Unmark all
      </Button>
      {open === 'dataset' && <AddToDataset runs={runs} onClose={close} />}
      {open === 'queue' && <AddToQueue project={project} runs={runs} onClose={close} />}
    </div>
  );
}

const NEW = 'new';
const words = (many: number) => (many === 1 ? '1 run' : `${many} runs`);

/** Makes examples with the inputs and outputs of runs. */
export function AddToDataset({ runs, onClose }: RunsProps) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState('');
  const { data: [first] = [] } = useQuery(datasetChoices.found(''));
  const id = chosen ?? first?.id ?? NEW;
  const add = async () => {
    const dataset =
      id === NEW
        ? await traces.createDataset({ body: { name } })
        : { id, name: await client.fetchQuery(datasetChoices.name(id)) };
    const examples = runs.map((run) => ({
      dataset_id: dataset.id,
      source_run_id: run.id,
      use_source_run_io: true,
    }));
    await traces.createExamples({
      raw: JSON.stringify(examples),
      headers: { 'content-type': 'application/json' },
    });
    await client.invalidateQueries({ queryKey: ['datasets'] });
    say({ text: `${words(runs.length)} added to ${dataset.name ?? 'the dataset'}.` });
  };
  return (
    <FormDialog
      title={`Add ${words(runs.length)} to a dataset`}
      isOpen
      onClose={onClose}
      submit="Add"
      onSubmit={add}
    >
      <ChoiceField
        of={datasetChoices}
        label="Dataset"
        hint="Inputs and outputs of a run become those of an example."
        before={[[NEW, 'A new dataset …']]}
        value={id}
        onChange={setChosen}
      />
      {id === NEW && (
        <TextField
          label="Name of the dataset"
          required
          value={name}
          onChange={({ target: { value } }) => setName(value)}
        />
      )}
    </FormDialog>
  );
}

/** Puts runs where people review them. */
export function AddToQueue({ project, runs, onClose }: RunsProps & { readonly project: string }) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<string>();
  const { data: queues } = useQuery(queueChoices.found(''));
  const id = chosen ?? queues?.[0]?.id;
  const add = async () => {
    if (id === undefined) throw new Error('There is no annotation queue yet; make one first.');
    await traces.addKeyedRunsToQueue({
      params: { queue_id: id },
      query: {},
      body: runs.map((run) => ({ run_id: run.id, session_id: project, start_time: run.start_time })),
    });
    await client.invalidateQueries({ queryKey: ['queues'] });
    // It is done, whether its name can be said or not.
    const name = await client.fetchQuery(queueChoices.name(id)).catch(() => null);
    say({ text: `${words(runs.length)} added to ${name ?? 'the queue'}.` });
  };
  return (
    <FormDialog
      title={`Add ${words(runs.length)} to an annotation queue`}
      isOpen
      onClose={onClose}
      submit="Add"
      onSubmit={add}
    >
      <ChoiceField
        of={queueChoices}
        label="Annotation queue"
        hint={
          queues?.length === 0 ? 'There is none yet.' : 'A run that waits there already stays where it is.'
        }
        before={[]}
        value={id ?? ''}
        onChange={setChosen}
      />
      <p>
        <GoTo target={at.queues()}>All annotation queues</GoTo>
      </p>
    </FormDialog>
  );
}
