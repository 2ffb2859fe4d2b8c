import type { Dataset } from '@roadstead/contracts/observability';
import { malformed, Problem } from '@roadstead/kit';
import { columnJson } from '../values/column-text-rules.ts';
import { instantOf } from '../values/instant-rules.ts';
import type { ListedDataset } from './dataset-row.ts';

/** A dataset as the API answers it: every field is present, null where it has no value. */
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

/** The limit on one object, so that one dataset stays a small share of a whole list. */
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

/** The `extra.metadata` that clients send when they create a dataset becomes its metadata. */
export function sentMetadata(extra: Readonly<Record<string, unknown>> | null | undefined) {
  const metadata = extra?.['metadata'];
  if (metadata === null || metadata === undefined) return null;
  if (typeof metadata !== 'object' || Array.isArray(metadata))
    throw malformed(['body', 'extra', 'metadata'], 'is not an object');
  return storedObject(metadata as Record<string, unknown>, 'extra');
}

/**
 * An instant in an address: an unescaped plus sign has become a space, and a day means its beginning. Undefined where
 * it is no instant.
 */
export function queriedInstant(text: string): string | undefined {
  return instantOf(
    text.replace(/(T[\d:.]+) (\d\d:?\d\d)$/, '$1+$2').replace(/^(\d{4}-\d\d-\d\d)$/, '$1T00:00Z'),
  );
}

/** Schemas are checked here because examples are held against them when they are written. */
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
