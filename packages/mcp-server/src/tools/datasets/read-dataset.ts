import { z } from 'zod';
import { Problem } from '@roadstead/kit';
import { linkTo } from '../../addresses/address-rules.ts';
import { text, uuid } from '../input-rules.ts';
import { recordAnswer, requireRecord } from '../list-answers.ts';
import { found } from '../tool-error.ts';
import { tool } from '../tool.ts';
import { noSuchDataset, readDatasetByName } from './dataset-lookup.ts';
import { datasetRecord } from './dataset-record-rules.ts';

export const readDataset = tool({
  name: 'read_dataset',
  title: 'Read a dataset',
  access: 'datasets:read',
  description:
    'Reads what is known of one dataset: description, schemas, counts. Its examples come from list_examples.',
  input: z.strictObject({
    dataset_id: uuid('Its id; goes before the name.'),
    dataset_name: text('Its name.'),
  }),
  output: { dataset: z.looseObject({ id: z.string(), name: z.string() }) },
  run: async ({ dataset_id, dataset_name }, context) => {
    const { api, signal } = context;
    const read = () => {
      if (dataset_id !== undefined)
        return found(api.readDataset({ params: { dataset_id }, signal }), () => noSuchDataset('dataset_id'));
      if (dataset_name !== undefined)
        return readDatasetByName(dataset_name, { ...context, input: 'dataset_name' });
      throw new Problem('invalid', 'Neither dataset_id nor dataset_name is given.', {
        hint: 'Give one of them.',
      });
    };
    const dataset = requireRecord(await read(), 'id');
    return recordAnswer(datasetRecord(dataset), {
      key: 'dataset',
      onCut: () => context.link(linkTo('dataset', { dataset: dataset.id })),
    });
  },
});
