import { z } from 'zod';
import { DataType } from '@roadstead/contracts/observability';
import { object, text, uuids, word } from '../input-rules.ts';
import { listAnswer, listInputs, listOutput, readSome } from '../list-answers.ts';
import { tool } from '../tool.ts';
import { metadataQuery } from './dataset-lookup.ts';
import { datasetRecord } from './dataset-record-rules.ts';

export const listDatasets = tool({
  name: 'list_datasets',
  title: 'List datasets',
  access: 'datasets:read',
  description:
    'Lists datasets, those with the newest experiments first. Then list_examples shows what one holds, list_experiments what was tried on it.',
  input: z.strictObject({
    dataset_ids: uuids('Only these.'),
    data_type: word(DataType.options, 'Only this type.'),
    dataset_name: text('The whole name.'),
    dataset_name_contains: text('A part of the name.'),
    metadata: object('What their metadata contains.'),
    ...listInputs(20),
  }),
  output: {
    datasets: z.array(z.looseObject({ id: z.string(), name: z.string() })),
    total_count: z.int(),
    ...listOutput,
  },
  run: async (given, { api, signal }) => {
    const { items, has_more } = await readSome(
      (page) =>
        api.listDatasets({
          query: {
            ...page,
            ...(given.dataset_ids === undefined ? {} : { id: given.dataset_ids }),
            ...(given.data_type === undefined ? {} : { data_type: given.data_type }),
            ...(given.dataset_name === undefined ? {} : { name: given.dataset_name }),
            ...(given.dataset_name_contains === undefined
              ? {}
              : { name_contains: given.dataset_name_contains }),
            ...metadataQuery(given.metadata),
          },
          signal,
        }),
      given,
    );
    return listAnswer({
      key: 'datasets',
      items: items.map(datasetRecord),
      has_more,
      offset: given.offset,
      when_cut: 'read_dataset shows one whole.',
      more: (total_count) => ({ total_count }),
    });
  },
});
