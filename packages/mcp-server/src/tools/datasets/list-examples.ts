import { z } from 'zod';
import { Problem } from '@roadstead/kit';
import { linkTo } from '../../addresses/address-rules.ts';
import { filterFault } from '../filter-fault.ts';
import { flagOr, object, pageInputs, text, texts, uuid, uuids, whole } from '../input-rules.ts';
import { listAnswer, listInputs, listOutput, readSome } from '../list-answers.ts';
import { found } from '../tool-error.ts';
import { tool } from '../tool.ts';
import { findDatasetId, metadataQuery, noSuchDataset } from './dataset-lookup.ts';
import { exampleRecord } from './example-record-rules.ts';

const MAX_FILTER = 20_000;

const input = z.strictObject({
  dataset_id: uuid('Needed, or one of the next two.'),
  dataset_name: text('In place of its id.'),
  example_ids: uuids('Only these.'),
  filter: text('has(metadata, \'{"a": 1}\'), exists(metadata, "a"), joined by and, or, not.', MAX_FILTER),
  metadata: object('What their metadata contains.'),
  splits: texts('In any of these.'),
  as_of: text('Version: its tag or an ISO 8601 time.'),
  inline_s3_urls: flagOr(true, 'Payloads in place of addresses.'),
  include_attachments: flagOr(false, 'With addresses of files.'),
  ...listInputs(10),
  max_chars_per_page: pageInputs.max_chars_per_page,
  preview_chars: whole({ fallback: 0, doc: 'Where texts are cut; 0: where they must.' }),
});
type Input = z.output<typeof input>;

export const listExamples = tool({
  name: 'list_examples',
  title: 'List examples',
  access: 'datasets:read',
  description:
    'Lists examples of a dataset, last changed first: inputs and, where known, the outputs that are wanted. read_example shows one whole.',
  input,
  output: {
    examples: z.array(z.looseObject({ id: z.string() })),
    total_count: z.int(),
    ...listOutput,
  },
  run: async (given, context) => {
    const { api, signal } = context;
    const { dataset_id, dataset_name, example_ids } = given;
    if (dataset_id === undefined && dataset_name === undefined && example_ids === undefined)
      throw new Problem('invalid', 'None of dataset_id, dataset_name and example_ids is given.', {
        hint: 'Give one of them; list_datasets shows the datasets there are.',
      });
    // The id takes precedence over the name.
    const dataset = await findDatasetId(
      { dataset_id, dataset_name: dataset_id === undefined ? dataset_name : undefined },
      { ...context, inputs: ['dataset_id', 'dataset_name'] },
    );
    const query = queryOf(given, dataset);
    const { items, has_more } = await found(
      readSome((page) => api.listExamples({ query: { ...query, ...page }, signal }), given),
      () => (given.as_of === undefined ? noSuchDataset('dataset_id') : noSuchVersion()),
    ).catch((error: unknown) => {
      throw given.filter === undefined ? error : filterFault(error);
    });
    const answer = await listAnswer({
      ...given,
      key: 'examples',
      items: items.map(exampleRecord),
      has_more,
      when_cut: 'preview_chars 0 and a smaller limit show more; read_example shows one.',
      more: (total_count) => ({ total_count }),
    });
    if (answer['truncated_fields'] !== 0)
      for (const { id } of items) context.link(linkTo('example', { example_id: id }));
    return answer;
  },
});

function queryOf(given: Input, dataset: string | undefined) {
  const { example_ids, splits, as_of, metadata, filter } = given;
  return {
    ...(dataset === undefined ? {} : { dataset }),
    ...(example_ids === undefined ? {} : { id: example_ids }),
    ...(splits === undefined ? {} : { splits }),
    ...(as_of === undefined ? {} : { as_of }),
    ...metadataQuery(metadata),
    ...(filter === undefined ? {} : { filter }),
    ...(given.include_attachments ? { select: ['attachment_urls', 'outputs', 'metadata'] } : {}),
    inline_s3_urls: given.inline_s3_urls ? ('true' as const) : ('false' as const),
  };
}

function noSuchVersion(): Problem {
  return new Problem('not_found', 'There is no such dataset, or it has no version that as_of names.', {
    hint: 'Leave as_of out for the newest version, or give a time such as 2026-01-31T09:00:00Z.',
  });
}
