import { z } from 'zod';
import type { Dataset } from '@roadstead/contracts/observability';
import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { objects, requiredText, text } from '../input-rules.ts';
import { tool, type ToolContext } from '../tool.ts';
import { agreed, confirmInput, counted, quoted } from './acting-tool.ts';
import { newExample, SPLIT_DOC } from './example-rules.ts';

export const addDataset = tool({
  name: 'add_dataset',
  title: 'Add a dataset',
  access: 'datasets:write',
  effect: 'acts',
  hints: { destructive: false, idempotent: false },
  description:
    'Makes a dataset with its first examples, all of it or nothing; a name that is taken is a conflict. More examples go in by edit_examples; start_experiment runs an agent over them.',
  input: z.strictObject({
    name: requiredText('Name of the dataset.'),
    description: text('What it is for.', 20_000),
    examples: objects(`Up to 100 {inputs, outputs, metadata, split}. ${SPLIT_DOC}`),
    ...confirmInput,
  }),
  output: { dataset_id: z.string(), name: z.string(), example_count: z.int() },
  run: async (given, context) => {
    const { name, description, examples = [] } = given;
    const written = examples.map((example, at) => newExample(example, `examples[${at}]`));
    await agreed(
      `Make the dataset ${quoted(name)} with ${counted(written.length, 'example')}?`,
      given,
      context,
    );
    const { id } = await makeDataset({ name, description, written }, context).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      throw new Problem('conflict', 'A dataset of this name is there already, so nothing was done.', {
        code: 'conflict',
        hint: 'Take another name, or add examples to the one that is there by edit_examples.',
      });
    });
    return { dataset_id: id, name, example_count: written.length };
  },
});

interface NewDataset {
  readonly name: string;
  readonly description: string | undefined;
  readonly written: readonly object[];
}

/** A file is imported completely or not at all, together with the dataset that it creates. */
async function makeDataset(
  { name, description, written }: NewDataset,
  { api, signal }: ToolContext,
): Promise<Pick<Dataset, 'id'>> {
  const described = description === undefined ? {} : { description };
  if (written.length === 0) return api.createDataset({ body: { name, ...described }, signal });
  const form = new FormData();
  for (const [field, value] of Object.entries({ name, data_type: 'kv', ...described }))
    form.set(field, value);
  const lines = written.map((example) => JSON.stringify(example)).join('\n');
  form.set('file', new Blob([lines], { type: 'application/jsonl' }), 'examples.jsonl');
  return api.uploadDataset({ raw: form, signal });
}
