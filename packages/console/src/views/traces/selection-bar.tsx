import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { datasetNamesQuery } from '../../api/datasets.ts';
import { queueNamesQuery } from '../../api/queue-names.ts';
import { at } from '../../router/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
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
  const datasets = useQuery(datasetNamesQuery);
  const id = chosen ?? datasets.data?.[0]?.id ?? NEW;
  const add = async () => {
    const dataset =
      id === NEW ? await traces.createDataset({ body: { name } }) : { id, name: nameOf(datasets.data, id) };
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
    say({ text: `${words(runs.length)} added to ${dataset.name}.` });
  };
  return (
    <FormDialog
      title={`Add ${words(runs.length)} to a dataset`}
      isOpen
      onClose={onClose}
      submit="Add"
      onSubmit={add}
    >
      <SelectField
        label="Dataset"
        value={id}
        onChange={({ target: { value } }) => setChosen(value)}
        options={[
          ...(datasets.data ?? []).map((one) => [one.id, one.name] as const),
          [NEW, 'A new dataset …'] as const,
        ]}
        hint="Inputs and outputs of a run become those of an example."
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

const nameOf = (
  all: readonly { readonly id: string; readonly name: string }[] | undefined,
  id: string,
): string => all?.find((one) => one.id === id)?.name ?? 'the dataset';

/** Puts runs where people review them. */
export function AddToQueue({ project, runs, onClose }: RunsProps & { readonly project: string }) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<string>();
  const queues = useQuery(queueNamesQuery);
  const id = chosen ?? queues.data?.[0]?.id;
  const add = async () => {
    if (id === undefined) throw new Error('There is no annotation queue yet; make one first.');
    await traces.addKeyedRunsToQueue({
      params: { queue_id: id },
      query: {},
      body: runs.map((run) => ({ run_id: run.id, session_id: project, start_time: run.start_time })),
    });
    await client.invalidateQueries({ queryKey: ['queues'] });
    say({ text: `${words(runs.length)} added to ${nameOf(queues.data, id)}.` });
  };
  return (
    <FormDialog
      title={`Add ${words(runs.length)} to an annotation queue`}
      isOpen
      onClose={onClose}
      submit="Add"
      onSubmit={add}
    >
      <SelectField
        label="Annotation queue"
        value={id ?? ''}
        onChange={({ target: { value } }) => setChosen(value)}
        options={(queues.data ?? []).map((one) => [one.id, one.name] as const)}
        hint={
          queues.data?.length === 0
            ? 'There is none yet.'
            : 'A run that waits there already stays where it is.'
        }
      />
      <p>
        <GoTo target={at.queues()}>All annotation queues</GoTo>
      </p>
    </FormDialog>
  );
}
