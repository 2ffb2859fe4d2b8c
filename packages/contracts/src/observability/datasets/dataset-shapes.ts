import { z } from 'zod';
import { filterBy, queryList, Uuid } from '../../values/query-values.ts';
import { JsonObject, WellFormedText } from '../../values/well-formed-text.ts';

/** Datasets in the form of the LangSmith API, but times carry an offset. */

const text = z.string().nullable();
const Free = z.record(z.string(), z.unknown());

export const DataType = z.enum(['kv', 'llm', 'chat']).meta({ id: 'DataType' });

export const DatasetTransformation = z
  .object({
    /** The path of the value to change: `inputs` or `outputs`, and names below it. */
    path: z.array(WellFormedText.min(1).max(500)).min(1).max(20),
    transformation_type: z.enum([
      'convert_to_openai_message',
      'convert_to_openai_tool',
      'remove_system_messages',
      'remove_extra_fields',
      'extract_tools_from_run',
    ]),
  })
  .meta({ id: 'DatasetTransformation' });

export const Dataset = z
  .object({
    id: z.string(),
    tenant_id: z.string(),
    name: z.string(),
    description: text,
    data_type: DataType.nullable(),
    created_at: z.string(),
    modified_at: z.string(),
    /** Null where the request excludes it. */
    example_count: z.number().nullable(),
    session_count: z.number(),
    last_session_start_time: text,
    inputs_schema_definition: Free.nullable(),
    outputs_schema_definition: Free.nullable(),
    transformations: z
      .array(z.object({ path: z.array(z.string()), transformation_type: z.string() }))
      .nullable(),
    externally_managed: z.boolean(),
    metadata: Free.nullable(),
    baseline_experiment_id: text,
  })
  .meta({ id: 'Dataset' });
export type Dataset = z.output<typeof Dataset>;

const name = WellFormedText.min(1).max(500);
const description = WellFormedText.max(20_000).nullish();
const transformations = z.array(DatasetTransformation).max(50).nullish();

export const DatasetCreate = z
  .object({
    id: Uuid.nullish(),
    name,
    description,
    data_type: DataType.default('kv'),
    created_at: WellFormedText.nullish(),
    inputs_schema_definition: JsonObject.nullish(),
    outputs_schema_definition: JsonObject.nullish(),
    transformations,
    externally_managed: z.boolean().nullish(),
    /** Its `metadata` is answered as the dataset's metadata. */
    extra: JsonObject.nullish(),
  })
  .meta({ id: 'DatasetCreate' });

export const DatasetUpdate = z
  .object({
    name: name.nullish(),
    description,
    inputs_schema_definition: JsonObject.nullish(),
    outputs_schema_definition: JsonObject.nullish(),
    transformations,
    metadata: JsonObject.nullish(),
    baseline_experiment_id: Uuid.nullish(),
    /** Changes of examples by their ids, made together with those of the dataset. */
    patch_examples: z.record(Uuid, JsonObject).nullish(),
  })
  .meta({ id: 'DatasetUpdate' });

export const DatasetVersion = z
  .object({ as_of: z.string(), tags: z.array(z.string()) })
  .meta({ id: 'DatasetVersion' });

const ids = z.array(z.string());
export const DatasetDiffInfo = z
  .object({ examples_added: ids, examples_removed: ids, examples_modified: ids })
  .meta({ id: 'DatasetDiffInfo' });

const datasetSorts = [
  'name',
  'created_at',
  'last_session_start_time',
  'example_count',
  'session_count',
  'modified_at',
] as const;

/** The filters of a list of datasets. */
export const datasetFilter = {
  id: filterBy(queryList(Uuid)),
  data_type: filterBy(queryList(DataType)),
  name: WellFormedText.optional(),
  name_contains: WellFormedText.optional(),
  /** A JSON object that the metadata must contain. */
  metadata: WellFormedText.optional(),
  /** No dataset has tags of the workspace here, so none is found by one. */
  tag_value_id: filterBy(queryList(Uuid)),
  sort_by: z.enum(datasetSorts).default('last_session_start_time'),
};

export const DatasetCopy = z
  .object({
    source_dataset_id: Uuid,
    target_dataset_id: Uuid,
    /** An instant or a tag of the source. */
    as_of: WellFormedText.min(1).max(500).nullish(),
    /** The examples to copy; all by default. */
    examples: z.array(Uuid).max(10_000).default([]),
    split: z.union([WellFormedText, z.array(WellFormedText)]).nullish(),
  })
  .meta({ id: 'DatasetCopy' });
