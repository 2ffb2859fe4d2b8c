/** Changes of metadata as the platform's API writes them. */

export interface MetadataOperation {
  readonly key: string;
  readonly operation: 'SET' | 'ARRAY_ADD' | 'ARRAY_REMOVE';
  readonly value?: unknown;
  readonly values?: readonly string[] | null | undefined;
}

type Metadata = Readonly<Record<string, unknown>>;

const SPLITS = 'dataset_split';

/** A value that is no list counts as an empty one; of splits as the base split. */
export function changedMetadata(metadata: Metadata, operations: readonly MetadataOperation[]): Metadata {
  return operations.reduce<Metadata>((result, { key, operation, value, values }) => {
    if (operation === 'SET') return { ...result, [key]: value ?? null };
    const present = Array.isArray(result[key]) ? (result[key] as unknown[]) : key === SPLITS ? ['base'] : [];
    const named = values ?? [];
    const others = present.filter((one) => !named.includes(one as string));
    return {
      ...result,
      [key]:
        operation === 'ARRAY_ADD' ? [...present, ...named.filter((one) => !present.includes(one))] : others,
    };
  }, metadata);
}
