import { elementsOf, membersOf } from '@roadstead/json';
import { MetadataChange } from '@roadstead/contracts/observability';
import { malformed, TimeSlice } from '@roadstead/kit';
import { isWritable } from '../values/column-text-rules.ts';
import { countJson, readJson } from '../decoding/sent-json-codec.ts';
import { parsedAt } from './example-body-codec.ts';
import type { MetadataOperation } from './metadata-operation-rules.ts';

/** The limit on one value. */
const MAX_VALUE_BYTES = 65_536;
const decoder = new TextDecoder();

/** Changes of metadata as clients send them; values are kept as they were written. */
export async function sentMetadataChange(
  json: Uint8Array,
): Promise<{ readonly example_ids: readonly string[]; readonly operations: readonly MetadataOperation[] }> {
  await countJson(json);
  const read = await readJson(json);
  if (read === undefined) throw malformed(['body'], 'is not valid JSON in UTF-8', 'json_invalid');
  const data = parsedAt(MetadataChange, read.value, ['body']);
  const values = await valuesOf(json);
  const operations = data.operations.map((one, index) => ({ ...one, value: values[index] }));
  return { example_ids: data.example_ids, operations };
}

async function valuesOf(json: Uint8Array): Promise<(string | undefined)[]> {
  const slice = new TimeSlice();
  const sent = (await membersOf(json, slice))?.get('operations');
  const values: (string | undefined)[] = [];
  for (const [index, one] of ((sent && (await elementsOf(sent, slice))) ?? []).entries()) {
    const value = (await membersOf(one, slice))?.get('value');
    const at = ['body', 'operations', index, 'value'];
    if (value !== undefined && value.length > MAX_VALUE_BYTES)
      throw malformed(at, `is larger than ${MAX_VALUE_BYTES} bytes`);
    const text = value && decoder.decode(value);
    if (text !== undefined && !isWritable(text)) throw malformed(at, 'holds a number that is out of range');
    values.push(text);
  }
  return values;
}
