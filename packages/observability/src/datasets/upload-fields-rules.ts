import { z } from 'zod';
import { Uuid, WellFormedText } from '@roadstead/contracts';
import { DataType, DatasetTransformation } from '@roadstead/contracts/observability';
import { malformed } from '@roadstead/kit';
import { parsedAt } from '../examples/example-body-codec.ts';
import type { SentPart } from '../decoding/multipart-parts.ts';

/** The fields of a form that uploads a file: the meaning of each column, and the properties of the new dataset. */

const key = WellFormedText.min(1).max(500);
const Schema = z.record(z.string(), z.unknown());
const Mapping = z.record(key, key);

const Columns = z.object({
  input_keys: z.array(key).max(1000),
  output_keys: z.array(key).max(1000),
  metadata_keys: z.array(key).max(1000),
  input_key_mappings: Mapping.optional(),
  output_key_mappings: Mapping.optional(),
  metadata_key_mappings: Mapping.optional(),
});
export type UploadedColumns = z.output<typeof Columns>;

const NewDataset = z.object({
  id: Uuid.optional(),
  name: key.optional(),
  data_type: DataType.default('kv'),
  description: WellFormedText.max(20_000).optional(),
  inputs_schema_definition: Schema.optional(),
  outputs_schema_definition: Schema.optional(),
  transformations: z.array(DatasetTransformation).max(50).optional(),
});
export type UploadedDataset = z.output<typeof NewDataset>;

interface UploadedFile {
  readonly name: string;
  readonly content: Uint8Array;
  readonly kind: 'csv' | 'jsonl';
}

export interface Upload {
  readonly file: UploadedFile;
  readonly columns: UploadedColumns;
  readonly dataset: UploadedDataset;
}

const lists: ReadonlySet<string> = new Set(['input_keys', 'output_keys', 'metadata_keys']);
/** Fields that hold JSON as text. */
const jsonFields: ReadonlySet<string> = new Set([
  'input_key_mappings',
  'output_key_mappings',
  'metadata_key_mappings',
  'inputs_schema_definition',
  'outputs_schema_definition',
  'transformations',
]);

/** The limit on one field beside the file. */
const MAX_FIELD_BYTES = 262_144;

/** @throws Problem `malformed` naming the field that is wrong. */
export function uploadOf(parts: readonly SentPart[]): Upload {
  const file = parts.find(({ name }) => name === 'file');
  if (file === undefined) throw malformed(['body', 'file'], 'is required', 'missing');
  const fields: Record<string, unknown> = { input_keys: [], output_keys: [], metadata_keys: [] };
  for (const part of parts) {
    if (part === file) continue;
    if (part.content.length > MAX_FIELD_BYTES)
      throw malformed(['body', part.name.slice(0, 100)], `is larger than ${MAX_FIELD_BYTES} bytes`);
    const text = decoded(part);
    if (lists.has(part.name)) (fields[part.name] as unknown[]).push(text);
    else if (text !== '') fields[part.name] = jsonFields.has(part.name) ? jsonIn(text, part.name) : text;
  }
  const name = file.file_name?.split(/[/\\]/).at(-1) ?? '';
  return {
    file: { name, content: file.content, kind: kindOf(name, file.content_type) },
    columns: parsedAt(Columns, fields, ['body']),
    dataset: parsedAt(NewDataset, fields, ['body']),
  };
}

/** The kind of a file follows from its name; the content type proves little, since clients send what they like. */
function kindOf(name: string, content_type: string): 'csv' | 'jsonl' {
  if (/\.(?:jsonl|ndjson)$/i.test(name)) return 'jsonl';
  return !/\.csv$/i.test(name) && /json/i.test(content_type) ? 'jsonl' : 'csv';
}

function decoded({ name, content }: SentPart): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw malformed(['body', name.slice(0, 100)], 'is not text in UTF-8');
  }
}

function jsonIn(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw malformed(['body', name], 'is not valid JSON', 'json_invalid');
  }
}
