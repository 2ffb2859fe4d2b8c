import { Problem } from '@roadstead/kit';
import { noSuchDataset, readDatasetByName } from '../datasets/dataset-lookup.ts';
import { text, uuid } from '../input-rules.ts';
import { found } from '../tool-error.ts';
import type { ToolContext } from '../tool.ts';

export const datasetInputs = {
  dataset_name: text('Name of the dataset.'),
  dataset_id: uuid('Or its id.'),
};

interface DatasetInput {
  readonly dataset_id?: string | undefined;
  readonly dataset_name?: string | undefined;
}

/** @throws Problem `not_found`, or `invalid` unless exactly one of the two is given */
export async function findDataset({ dataset_id, dataset_name }: DatasetInput, { api, signal }: ToolContext) {
  if ((dataset_id === undefined) === (dataset_name === undefined))
    throw new Problem('invalid', 'Give one of dataset_name and dataset_id.');
  if (dataset_id === undefined)
    return readDatasetByName(dataset_name ?? '', { api, signal, input: 'dataset_name' });
  return found(api.readDataset({ params: { dataset_id }, signal }), () => noSuchDataset('dataset_id'));
}
