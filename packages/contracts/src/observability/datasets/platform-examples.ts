import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { anyCase, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { WrittenExamples } from './example-shapes.ts';
import { platform } from '../mounts.ts';

const write = { ...platform, access: 'datasets:write' } as const;
const params = z.object({ dataset_id: Uuid });
const multipart = {
  ...write,
  raw: true,
  media_type: 'multipart/form-data',
  max_body_bytes: 67_108_864,
  errors: [404, 409],
} as const;
const example_id = '0199d3a0-0000-7000-8000-0000000000e1';

/** Values are stored as they were written, so a codec reads them. */
export const MetadataChange = z.object({
  example_ids: z.array(Uuid).min(1).max(10_000),
  operations: z
    .array(
      z.object({
        key: WellFormedText.min(1).max(255),
        operation: anyCase(['SET', 'ARRAY_ADD', 'ARRAY_REMOVE']),
        value: z.unknown().optional(),
        values: z.array(WellFormedText.max(255)).max(1000).nullish(),
      }),
    )
    .min(1)
    .max(50),
});

/** A body with one example. */
const sentParts = (parts: Readonly<Record<string, unknown>>) =>
  `${Object.entries(parts)
    .map(
      ([name, value]) =>
        `--example\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(value)}\r\n`,
    )
    .join('')}--example--\r\n`;

export const platformExamples = {
  createExamplesMultipart: endpoint({
    ...multipart,
    method: 'POST',
    path: '/platform/datasets/{dataset_id}/examples',
    summary:
      'Add examples to a dataset, all of them or none: parts `{id}`, `{id}.inputs`, `{id}.outputs`, `{id}.attachment.{name}`',
    params,
    success: { status: 201, body: WrittenExamples },
    example: {
      body: sentParts({
        '0199d3a0-0000-7000-8000-0000000000e2': { split: 'test' },
        '0199d3a0-0000-7000-8000-0000000000e2.inputs': { question: 'Where is my order?' },
      }),
    },
  }),
  patchExamplesMultipart: endpoint({
    ...multipart,
    method: 'PATCH',
    path: '/platform/datasets/{dataset_id}/examples',
    summary:
      'Change examples of a dataset, all of them or none: the parts of creating, and `{id}.attachments_operations`',
    params,
    success: { status: 201, body: WrittenExamples },
    example: { body: sentParts({ [example_id]: { metadata: { reviewed: true } } }) },
  }),
  upsertExamplesMultipart: endpoint({
    ...multipart,
    method: 'POST',
    path: '/platform/examples/multipart',
    summary:
      'Create or change examples of one dataset, which the part of each names; as older SDKs send them',
    success: { status: 201, body: WrittenExamples },
    example: {
      body: sentParts({
        '0199d3a0-0000-7000-8000-0000000000e3': { dataset_id: '0199d3a0-0000-7000-8000-0000000000d1' },
        '0199d3a0-0000-7000-8000-0000000000e3.inputs': { question: 'Where is my order?' },
      }),
    },
  }),
  deleteExamplesInBulk: endpoint({
    ...write,
    method: 'POST',
    path: '/platform/datasets/examples/delete',
    summary: 'Delete several examples; with `hard_delete` what all versions hold of them is removed',
    errors: [404],
    body: z.object({ example_ids: z.array(Uuid).min(1).max(1000), hard_delete: z.boolean() }),
    success: { status: 200, body: z.object({ count: z.number(), example_ids: z.array(z.string()) }) },
    example: { body: { example_ids: [example_id], hard_delete: false } },
  }),
  deleteExampleOfDataset: endpoint({
    ...write,
    method: 'DELETE',
    path: '/platform/datasets/{dataset_id}/examples/{example_id}',
    summary: 'Delete an example from the newest version of a dataset; again is no error',
    params: params.extend({ example_id: Uuid }),
    success: { status: 204 },
  }),
  patchExampleMetadata: endpoint({
    ...write,
    method: 'PATCH',
    path: '/platform/datasets/{dataset_id}/examples/metadata',
    summary:
      'Apply changes of metadata, in their order, to examples of a dataset; those not in it are skipped',
    params,
    raw: true,
    max_body_bytes: 4_194_304,
    errors: [404],
    success: {
      status: 207,
      body: z.object({
        statuses: z.array(
          z.object({
            id: z.string(),
            status: z.enum(['UPDATED', 'NOT_FOUND']),
            description: z.string().optional(),
          }),
        ),
      }),
    },
    example: {
      body: {
        example_ids: [example_id],
        operations: [{ key: 'dataset_split', operation: 'ARRAY_ADD', values: ['test'] }],
      },
    },
  }),
};
