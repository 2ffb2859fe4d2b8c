import type { Dataset } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';
import { text, uuid } from '../input-rules.ts';
import { unexpectedAnswer } from '../tool-error.ts';
import type { ToolContext } from '../tool.ts';

export const datasetInputs = {
  dataset_name: text('Name of the dataset.'),
  dataset_id: uuid('Or its id.'),
};

/** @throws Problem `not_found`, or `invalid` where neither is given */
export async function findDataset(
  {
    dataset_id,
    dataset_name,
  }: { readonly dataset_id?: string | undefined; readonly dataset_name?: string | undefined },
  { api, signal }: ToolContext,
): Promise<Pick<Dataset, 'id' | 'name'>> {
  if ((dataset_id ?? dataset_name) === undefined)
    throw new Problem('invalid', 'Give dataset_name or dataset_id.');
  const named = dataset_id === undefined ? { name: dataset_name ?? '' } : { id: [dataset_id] };
  const answer: unknown = await api.listDatasets({ query: { ...named, limit: 1 }, signal });
  if (!Array.isArray(answer)) throw unexpectedAnswer();
  const [found] = answer as readonly Dataset[];
  if (found !== undefined) return found;
  throw new Problem('not_found', 'There is no such dataset.', {
    hint: 'Call list_datasets to see the datasets there are, or add_dataset to make one.',
  });
}
