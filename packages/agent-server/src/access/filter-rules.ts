import type { MetadataFilters } from './caller.ts';

/**
 * Turns a filter into a piece of JSON that the metadata must contain, in the sense of Postgres: `metadata @>
 * containmentOf(filters)`. A filter that anything passes becomes `{}`.
 */
export function containmentOf(filters: MetadataFilters | null): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(filters ?? {}).map(([field, filter]) => [field, wantedOf(filter)]),
  );
}

function wantedOf(filter: MetadataFilters[string]): unknown {
  if (typeof filter !== 'object') return filter;
  if ('$eq' in filter) return filter.$eq;
  return Array.isArray(filter.$contains) ? filter.$contains : [filter.$contains];
}

/** Applies the same filter to a value in memory. */
export function matchesFilters(
  metadata: Readonly<Record<string, unknown>>,
  filters: MetadataFilters | null,
): boolean {
  return isWithin(metadata, containmentOf(filters));
}

/** Whether metadata contains such a piece of JSON. */
export function isWithin(
  metadata: Readonly<Record<string, unknown>>,
  within: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(within).every(([field, wanted]) => {
    const found = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
    return Array.isArray(wanted)
      ? Array.isArray(found) && wanted.every((one) => found.includes(one))
      : found === wanted;
  });
}

/** The fields of a store item that filters see: those of its value, its namespace and its key. */
export const itemFields = ({
  namespace,
  key,
  value,
}: {
  readonly namespace: readonly string[];
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}): Readonly<Record<string, unknown>> => ({ ...value, namespace, key });
