import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Uuid } from '../../values/query-values.ts';
import { Dataset } from './dataset-shapes.ts';
import { Example } from './example-shapes.ts';
import { v1 } from '../mounts.ts';

const upload = {
  ...v1,
  access: 'datasets:write',
  method: 'POST',
  raw: true,
  media_type: 'multipart/form-data',
  max_body_bytes: 67_108_864,
  errors: [409],
} as const;

const part = (disposition: string, content: string) =>
  `--example\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const file = (name: string) =>
  part(`name="file"; filename="${name}"`, 'question,answer\r\nWhere is my order?,On its way.');
const keys = part('name="input_keys"', 'question') + part('name="output_keys"', 'answer');

export const datasetUploads = {
  uploadDataset: endpoint({
    ...upload,
    path: '/datasets/upload',
    summary:
      'Create a dataset from a CSV or JSONL `file`; the form names `input_keys`, `output_keys` and `metadata_keys`',
    success: { status: 200, body: Dataset },
    example: { body: `${file('orders.csv')}${keys}--example--\r\n` },
  }),
  uploadExamples: endpoint({
    ...upload,
    path: '/examples/upload/{dataset_id}',
    summary: 'Add examples to a dataset from a CSV or JSONL `file`, all of them or none',
    params: z.object({ dataset_id: Uuid }),
    success: { status: 200, body: z.array(Example) },
    example: { body: `${file('more.csv')}${keys}--example--\r\n` },
  }),
};
