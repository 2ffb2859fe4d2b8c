import { useQueryClient } from '@tanstack/react-query';
import { createExample, type Example, replaceExample } from '../../api/datasets.ts';
import { say } from '../../ui/toasts.tsx';
import { pretty, readObject } from '../../words/value-rules.ts';
import { namesIn, ownMetadata, splitsOf } from './example-rules.ts';

/** An example as texts that are edited: its values as JSON, its splits as names with commas. */
export const valueFields = [
  { name: 'inputs', label: 'Inputs', height: '9rem' },
  { name: 'outputs', label: 'Outputs', height: '9rem' },
  { name: 'metadata', label: 'Metadata', height: '5rem' },
] as const;
export type ExampleTexts = Readonly<Record<(typeof valueFields)[number]['name'] | 'splits', string>>;

export const textsOf = (example: Example | undefined): ExampleTexts => ({
  inputs: example ? pretty(example.inputs) : '{\n  "question": ""\n}',
  outputs: example ? pretty(example.outputs) : '',
  metadata: example ? pretty(ownMetadata(example)) : '',
  splits: example ? splitsOf(example).join(', ') : '',
});

/** Saves texts as the values of an example, or as a new one without it; throws in words where a text is no JSON. */
export function useSaveExample(dataset: string, example: Example | undefined) {
  const client = useQueryClient();
  return async (texts: ExampleTexts, onSaved: () => void = () => {}): Promise<void> => {
    const [inputs, outputs, metadata] = valueFields.map(({ name, label }) => {
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
    await client.invalidateQueries({ queryKey: ['datasets'] });
  };
}
