import { elementsAtOnce } from '@roadstead/json';

/** Changes of metadata as the platform's API writes them. */

export interface MetadataOperation {
  readonly key: string;
  readonly operation: 'SET' | 'ARRAY_ADD' | 'ARRAY_REMOVE';
  /** The value as JSON text. */
  readonly value?: string | undefined;
  readonly values?: readonly string[] | null | undefined;
}

/** The JSON texts of the values, by name: parsing an unchanged value would round its numbers. */
export type Metadata = ReadonlyMap<string, string>;

export const SPLITS = 'dataset_split';
const BASE = '"base"';
const decoder = new TextDecoder();

/** A value that is no list counts as an empty one; for splits as the base split. */
export function changedMetadata(metadata: Metadata, operations: readonly MetadataOperation[]): Metadata {
  const result = new Map(metadata);
  for (const { key, operation, value, values } of operations) {
    if (operation === 'SET') {
      result.set(key, value ?? 'null');
      continue;
    }
    const present = itemsOf(result.get(key)) ?? (key === SPLITS ? [BASE] : []);
    const named = (values ?? []).map((one) => JSON.stringify(one));
    const kept = present.filter((one) => !named.includes(one));
    const next =
      operation === 'ARRAY_ADD' ? [...present, ...named.filter((one) => !present.includes(one))] : kept;
    result.set(key, `[${next.join(', ')}]`);
  }
  return result;
}

/** The items of a list, with texts as `JSON.stringify` writes them; undefined where it is no list. */
function itemsOf(json: string | undefined): string[] | undefined {
  return elementsAtOnce(Buffer.from(json ?? ''))?.map((item) => {
    const text = decoder.decode(item);
    return text.startsWith('"') ? JSON.stringify(JSON.parse(text)) : text;
  });
}

export const metadataText = (metadata: Metadata): string =>
  `{${[...metadata].map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(', ')}}`;
