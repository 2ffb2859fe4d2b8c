import type { Dataset } from '@roadstead/contracts/observability';
import { membersOf } from '../list-answers.ts';

const members = [
  'id',
  'name',
  'description',
  'data_type',
  'example_count',
  'session_count',
  'created_at',
  'modified_at',
  'last_session_start_time',
  'inputs_schema_definition',
  'outputs_schema_definition',
  'metadata',
] as const satisfies readonly (keyof Dataset)[];

/** A dataset in the form that tools show. */
export const datasetRecord = (dataset: Partial<Dataset>) => membersOf(dataset, members);
