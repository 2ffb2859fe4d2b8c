import { z } from 'zod';
import { filterBy, queryFlag, queryInt, queryList, queryTexts, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';

/** Examples in the form of the LangSmith API. */

const Free = z.record(z.string(), z.unknown());
const text = z.string().nullable();

export const Example = z
  .object({
    id: z.string(),
    dataset_id: z.string(),
    name: z.string(),
    created_at: z.string(),
    modified_at: z.string(),
    source_run_id: text,
    metadata: Free.nullable(),
    inputs: Free,
    outputs: Free.nullable(),
    /** The attachments by `attachment.{name}`. */
    attachment_urls: z
      .record(z.string(), z.object({ presigned_url: z.string(), s3_url: z.string(), mime_type: z.string() }))
      .nullable(),
  })
  .meta({ id: 'Example' });

export type Example = z.output<typeof Example>;

export const WrittenExamples = z
  .object({ count: z.number(), example_ids: z.array(z.string()), as_of: z.string() })
  .meta({ id: 'WrittenExamples' });

const exampleOrders = ['recent', 'random', 'recently_created', 'id'] as const;

/** The filters of examples, of one dataset or of all. */
export const exampleFilter = {
  id: filterBy(queryList(Uuid)),
  dataset: Uuid.optional(),
  /** The version, by an instant or a tag; the newest by default. */
  as_of: WellFormedText.max(500).optional(),
  /** The splits, in any of which an example is. */
  splits: filterBy(queryTexts(WellFormedText.max(1000))),
  /** A JSON object that the metadata must contain; without a dataset, the metadata must contain one of its members. */
  metadata: WellFormedText.max(10_000).optional(),
  /** The filter language, over the metadata. */
  filter: WellFormedText.optional(),
  full_text_contains: filterBy(queryTexts(WellFormedText.max(1000))),
};

export const ExampleQuery = z.object({
  ...exampleFilter,
  order: z.enum(exampleOrders).default('recent'),
  random_seed: z.coerce.number().optional(),
  descending: queryFlag.optional(),
  /** The fields to include among outputs, metadata and attachment_urls; by default all but the last. */
  select: filterBy(queryList(WellFormedText)),
  /** Payloads are always in the answer here. */
  inline_s3_urls: queryFlag.optional(),
  offset: queryInt({ fallback: 0 }),
  limit: queryInt({ min: 1, max: 100, fallback: 100 }),
});
