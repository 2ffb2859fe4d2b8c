import type { Dataset } from '@roadstead/contracts/observability';
import { malformed, Problem } from '@roadstead/kit';
import { columnJson } from '../values/column-text-rules.ts';
import { instantOf } from '../values/instant-rules.ts';
import type { ListedDataset } from './dataset-row.ts';

/** A dataset as the API answers it: every field is there, null where there is nothing. */
export function datasetAnswer({
  workspace_id,
  latest_as_of: _latest_as_of,
  experiments_shared: _shared,
  ...row
}: ListedDataset): Dataset {
  return {
    ...row,
    tenant_id: workspace_id,
    data_type: row.data_type as Dataset['data_type'],
    inputs_schema_definition: row.inputs_schema_definition && { ...row.inputs_schema_definition },
    outputs_schema_definition: row.outputs_schema_definition && { ...row.outputs_schema_definition },
    transformations:
      row.transformations?.map(({ path, transformation_type }) => ({
        path: [...path],
        transformation_type,
      })) ?? null,
    metadata: row.metadata && { ...row.metadata },
  };
}

/** Of a whole list a dataset's share must stay small. */
const MAX_OBJECT_CHARS = 262_144;

/** An object that a client wrote beside the fields that are known here, as it is stored. */
export function storedObject(
  value: Readonly<Record<string, unknown>> | null | undefined,
  at: string,
): Record<string, unknown> | null {
  if (value === null || value === undefined) return null;
  if (JSON.stringify(value).length > MAX_OBJECT_CHARS)
    throw malformed(['body', at], `is larger than ${MAX_OBJECT_CHARS} characters`);
  return columnJson(value, at) as Record<string, unknown>;
}

/** What clients send as `extra.metadata` at the beginning is the dataset's metadata from then on. */
export function sentMetadata(extra: Readonly<Record<string, unknown>> | null | undefined) {
  const metadata = extra?.['metadata'];
  if (metadata === null || metadata === undefined) return null;
  if (typeof metadata !== 'object' || Array.isArray(metadata))
    throw malformed(['body', 'extra', 'metadata'], 'is not an object');
  return storedObject(metadata as Record<string, unknown>, 'extra');
}

/**
 * An instant of an address: a plus sign that was not escaped has become a space, and a day is its beginning. Undefined
 * where it is none.
 */
export function queriedInstant(text: string): string | undefined {
  return instantOf(
    text.replace(/(T[\d:.]+) (\d\d:?\d\d)$/, '$1+$2').replace(/^(\d{4}-\d\d-\d\d)$/, '$1T00:00Z'),
  );
}

/** Schemas of examples are checked when they are written, so each must be one. */
export function requireConsistent(body: {
  readonly transformations?: readonly { readonly path: readonly string[] }[] | null | undefined;
}): void {
  for (const [index, { path }] of (body.transformations ?? []).entries())
    if (path[0] !== 'inputs' && path[0] !== 'outputs')
      throw new Problem('malformed', 'A transformation applies to inputs or outputs.', {
        issues: [
          {
            loc: ['body', 'transformations', index, 'path'],
            msg: 'must begin with inputs or outputs',
            type: 'value_error',
          },
        ],
      });
}
