import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { found, unexpectedAnswer } from '../tool-error.ts';
import type { ToolContext } from '../tool.ts';

interface DatasetReference {
  readonly dataset_id: string | undefined;
  readonly dataset_name: string | undefined;
}

interface Lookup extends Pick<ToolContext, 'api' | 'signal'> {
  /** The tool's names for the two inputs. */
  readonly inputs: readonly [id: string, name: string];
}

/**
 * The id of a dataset that is given by its id or name; undefined where neither is.
 * @throws Problem where both are given, or no dataset has the name
 */
export async function findDatasetId(
  { dataset_id, dataset_name }: DatasetReference,
  { inputs: [id, name], ...context }: Lookup,
): Promise<string | undefined> {
  if (dataset_id !== undefined && dataset_name !== undefined)
    throw new Problem('invalid', `${id} and ${name} are both given.`, { hint: 'Give one of them.' });
  if (dataset_name === undefined) return dataset_id;
  return (await readDatasetByName(dataset_name, { ...context, input: name })).id;
}

/** @throws Problem `not_found` that names the input */
export async function readDatasetByName(
  name: string,
  { api, signal, input }: Pick<ToolContext, 'api' | 'signal'> & { readonly input: string },
) {
  const answer: unknown = await api.listDatasets({ query: { name, limit: 1 }, signal });
  if (!Array.isArray(answer)) throw unexpectedAnswer();
  const [dataset] = answer as Awaited<ReturnType<typeof api.listDatasets>>;
  if (dataset === undefined) throw noSuchDataset(input);
  return dataset;
}

/**
 * An empty list is an answer for a dataset without items; a missing dataset is an error, to callers who may read
 * datasets.
 * @throws Problem `not_found` that names the input
 */
export async function requireDataset(
  dataset_id: string,
  { api, signal, input }: Pick<ToolContext, 'api' | 'signal'> & { readonly input: string },
): Promise<void> {
  await found(api.readDataset({ params: { dataset_id }, signal }), () => noSuchDataset(input)).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
    },
  );
}

export function noSuchDataset(input: string): Problem {
  return new Problem('not_found', `No dataset is the one in ${input}.`, {
    hint: 'Call list_datasets, with dataset_name_contains for a part of the name, to see the datasets there are.',
  });
}

/** The metadata to match, as a query of the API; an empty object matches everything. */
export const metadataQuery = (metadata: object | undefined) =>
  metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata: JSON.stringify(metadata) };
