import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { datasetChoices } from '../../api/choices.ts';
import { traces } from '../../api/clients.ts';
import { ChoiceField } from '../../choices/choice-field.tsx';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { GoTo } from '../../ui/link.tsx';
import type { PlaygroundSearch } from './playground-search.ts';

interface NewExperimentProps {
  /** What is asked of the model. @throws Error a sentence for what can't be asked. */
  readonly asked: () => object;
  readonly onClose: () => void;
}

type ExperimentCreate = Parameters<typeof traces.createPlaygroundExperiment>[0]['body'];

/** Calls the model once for each example of a dataset. */
export function NewExperiment({ asked, onClose }: NewExperimentProps) {
  const search = useSearch({ strict: false }) as PlaygroundSearch;
  const [form, setForm] = useState({ dataset: '', repetitions: '1', name: '', splits: '' });
  const { data: datasets } = useQuery(datasetChoices.found(''));
  const go = useGo();
  const start = async () => {
    const { name } = form;
    const splits = form.splits
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
    const { id } = await traces.createPlaygroundExperiment({
      body: {
        ...asked(),
        dataset_id: form.dataset,
        repetitions: Number(form.repetitions),
        ...(name !== '' && { name }),
        ...(splits.length > 0 && { splits }),
      } as ExperimentCreate,
    });
    go({ ...at.playground(), search: { ...search, experiment: id } });
  };
  return (
    <FormDialog
      title="Run over a dataset"
      isOpen
      onClose={onClose}
      submit="Start the experiment"
      onSubmit={start}
    >
      <p className="text-quiet">
        The inputs of each example are the variables. Its runs are an experiment, to be compared with others.
      </p>
      <ChoiceField
        of={datasetChoices}
        label="Dataset"
        hint={datasets?.length === 0 && <GoTo target={at.datasets()}>Make a dataset</GoTo>}
        required
        before={[['', 'Choose one']]}
        value={form.dataset}
        onChange={(dataset) => setForm({ ...form, dataset })}
      />
      <TextField
        label="Name"
        hint="Made of the model’s name where it is empty."
        value={form.name}
        onChange={({ target }) => setForm({ ...form, name: target.value })}
      />
      <TextField
        label="Splits"
        hint="Only examples of these, with commas between them; all where it is empty."
        value={form.splits}
        onChange={({ target }) => setForm({ ...form, splits: target.value })}
      />
      <TextField
        label="Times each"
        type="number"
        min={1}
        max={30}
        required
        value={form.repetitions}
        onChange={({ target }) => setForm({ ...form, repetitions: target.value })}
      />
    </FormDialog>
  );
}
