import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryList, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { Example, exampleFilter, ExampleQuery } from './example-shapes.ts';
import { v1 } from '../mounts.ts';

const read = { ...v1, access: 'datasets:read' } as const;
const write = { ...v1, access: 'datasets:write' } as const;
const params = z.object({ example_id: Uuid });
const message = z.object({ message: z.string() });

/** Bodies with examples are read by codecs, byte for byte, so that payloads stay verbatim; they have no schema here. */
const sent = { raw: true, max_body_bytes: 67_108_864, errors: [404, 409] } as const;
const dataset_id = '0199d3a0-0000-7000-8000-0000000000d1';
const example = { inputs: { question: 'Where is my order?' }, outputs: { answer: 'On its way.' } };

export const examples = {
  listExamples: endpoint({
    ...read,
    method: 'GET',
    path: '/examples',
    summary: 'List examples',
    errors: [404],
    query: ExampleQuery,
    success: { status: 200, body: z.array(Example) },
    example: { query: { splits: ['base'], order: 'recently_created', limit: '20' } },
  }),
  countExamples: endpoint({
    ...read,
    method: 'GET',
    path: '/examples/count',
    summary: 'Count examples',
    errors: [404],
    query: z.object(exampleFilter),
    success: { status: 200, body: z.number() },
    example: { query: { splits: ['base'] } },
  }),
  createExample: endpoint({
    ...write,
    ...sent,
    method: 'POST',
    path: '/examples',
    summary: 'Create an example',
    success: { status: 200, body: Example },
    example: { body: { dataset_id, ...example } },
  }),
  createExamples: endpoint({
    ...write,
    ...sent,
    method: 'POST',
    path: '/examples/bulk',
    summary: 'Create several examples, all of them or none',
    success: { status: 200, body: z.array(Example) },
    example: { body: [{ dataset_id, ...example, split: 'test' }] },
  }),
  patchExamples: endpoint({
    ...write,
    ...sent,
    method: 'PATCH',
    path: '/examples/bulk',
    summary:
      'Change several examples of one dataset, all of them or none; with `overwrite` what is absent is emptied',
    success: { status: 200, body: message.extend({ count: z.number() }) },
    example: { body: [{ id: '0199d3a0-0000-7000-8000-0000000000e1', metadata: { reviewed: true } }] },
  }),
  deleteExamples: endpoint({
    ...write,
    method: 'DELETE',
    path: '/examples',
    summary: 'Delete several examples from the newest version of their datasets, all of them or none',
    errors: [404],
    query: z.object({ example_ids: queryList(Uuid).refine((ids) => ids.length > 0 && ids.length <= 1000) }),
    success: { status: 200, body: message },
    example: { query: { example_ids: ['0199d3a0-0000-7000-8000-0000000000e1'] } },
  }),
  validateExample: endpoint({
    ...read,
    ...sent,
    method: 'POST',
    path: '/examples/validate',
    summary: 'Check an example against its dataset’s schema; 422 says what does not fit',
    success: { status: 200, body: z.record(z.string(), z.unknown()) },
    example: { body: { dataset_id, ...example } },
  }),
  validateExamples: endpoint({
    ...read,
    ...sent,
    method: 'POST',
    path: '/examples/validate/bulk',
    summary: 'Check several examples against their dataset’s schema; 422 says what does not fit',
    success: { status: 200, body: z.array(z.record(z.string(), z.unknown())) },
    example: { body: [{ dataset_id, ...example }] },
  }),
  readExample: endpoint({
    ...read,
    method: 'GET',
    path: '/examples/{example_id}',
    summary: 'Read an example, as it is or as it was in a version',
    params,
    query: z.object({ as_of: WellFormedText.max(500).optional(), dataset: Uuid.optional() }),
    success: { status: 200, body: Example },
    example: { query: { as_of: 'latest' } },
  }),
  patchExample: endpoint({
    ...write,
    ...sent,
    method: 'PATCH',
    path: '/examples/{example_id}',
    summary:
      'Change an example; what is absent or null stays as it is, but with `overwrite` it is emptied, apart from files',
    params,
    success: { status: 200, body: message },
    example: { body: { metadata: { reviewed: true }, split: ['test'] } },
  }),
  deleteExample: endpoint({
    ...write,
    method: 'DELETE',
    path: '/examples/{example_id}',
    summary: 'Delete an example from the newest version of its dataset',
    params,
    success: { status: 200, body: message },
  }),
};
