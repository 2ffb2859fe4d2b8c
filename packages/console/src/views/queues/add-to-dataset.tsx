import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { datasetChoices } from '../../api/choices.ts';
import { createExample } from '../../api/datasets.ts';
import { ChoiceField } from '../../choices/choice-field.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Editor } from '../../ui/editor.tsx';
import { say } from '../../ui/toasts.tsx';
import { pretty, readObject } from '../../words/value-rules.ts';
import type { Run } from './queue-queries.ts';

interface AddToDatasetProps {
  readonly run: Run;
  /** The outputs, corrected where somebody did that. */
  readonly outputs: string;
  readonly default_dataset: string | null;
  readonly onClose: () => void;
}

/** Makes an example of a run, edited before it is kept. */
export function AddToDataset({ run, outputs: begin, default_dataset, onClose }: AddToDatasetProps) {
  const [dataset, setDataset] = useState(default_dataset ?? '');
  const [inputs, setInputs] = useState(() => pretty(run.inputs));
  const [outputs, setOutputs] = useState(begin);
  const client = useQueryClient();
  const add = async () => {
    const [read, expected] = [readObject(inputs), readObject(outputs)];
    if (read.kind === 'fault') throw new Error(`Inputs: ${read.fault}`);
    if (expected.kind === 'fault') throw new Error(`Outputs: ${expected.fault}`);
    await createExample(dataset, {
      inputs: read.value ?? {},
      outputs: expected.value,
      source_run_id: run.id,
    });
    await client.invalidateQueries({ queryKey: ['datasets'] });
    // It is done, whether its name can be said or not.
    const name = await client.fetchQuery(datasetChoices.name(dataset)).catch(() => null);
    say({ text: `Added an example to ${name ?? 'the dataset'}.` });
  };
  return (
    <FormDialog
      title="Add to a dataset"
      submit="Add the example"
      wide
      isOpen
      onClose={onClose}
      onSubmit={add}
    >
      <ChoiceField
        of={datasetChoices}
        label="Dataset"
        required
        before={[['', 'Choose a dataset']]}
        value={dataset}
        onChange={setDataset}
      />
      <div className="flex flex-col gap-1">
        <h3 className="font-medium">Inputs</h3>
        <Editor label="Inputs of the example" value={inputs} onChange={setInputs} height="9rem" />
      </div>
      <div className="flex flex-col gap-1">
        <h3 className="font-medium">Outputs</h3>
        <Editor label="Outputs of the example" value={outputs} onChange={setOutputs} height="9rem" />
      </div>
    </FormDialog>
  );
}
