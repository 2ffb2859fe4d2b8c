import { membersOf } from '@roadstead/json';
import { malformed, Problem, TimeSlice, inTimeSlices } from '@roadstead/kit';
import { exampleOf, type SentExample } from '../examples/example-body-codec.ts';
import { readJson } from '../decoding/sent-json-codec.ts';
import { linesIn } from './file-text.ts';
import { placeOfFault } from './json-fault-rules.ts';
import type { UploadedColumns } from './upload-fields-rules.ts';

/**
 * Examples from a JSONL file: each line is an object with `inputs`, `outputs` and `metadata`, or with members that
 * the form assigns to these.
 */

const MAX_LINES = 100_000;

/** @throws Problem `malformed` that names the line and, where it is no JSON, the column. */
export async function jsonlExamples(content: Uint8Array, columns: UploadedColumns): Promise<SentExample[]> {
  const slice = new TimeSlice();
  const examples: SentExample[] = [];
  for (const { line, bytes } of linesIn(withoutMark(content))) {
    if (bytes.every(isSpace)) continue;
    const at = ['body', 'file', `line ${line}`];
    if ((await readJson(bytes)) === undefined)
      throw malformed(
        at,
        `${await inTimeSlices(placeOfFault(bytes), slice)}: is not valid JSON in UTF-8`,
        'json_invalid',
      );
    const members = await membersOf(bytes, slice);
    if (members === undefined) throw malformed(at, 'column 1: is not a JSON object', 'json_invalid');
    examples.push(
      await exampleOf(columns.input_keys.length === 0 ? members : picked(members, columns), { at }),
    );
    if (examples.length > MAX_LINES)
      throw new Problem('too_large', `The file has more than ${MAX_LINES} lines.`);
    if (slice.isOver()) await slice.next();
  }
  return examples;
}

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0d || byte === 0x09;

const withoutMark = (content: Uint8Array) =>
  content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? content.subarray(3) : content;

type Members = ReadonlyMap<string, Uint8Array>;

function picked(members: Members, columns: UploadedColumns): Members {
  const side = (keys: readonly string[], mapping: Readonly<Record<string, string>> = {}) => {
    const there = keys.flatMap((key) => {
      const value = members.get(key);
      return value === undefined
        ? []
        : [[Buffer.from(`${JSON.stringify(mapping[key] ?? key)}:`), value] as const];
    });
    const pieces = there.flatMap(([name, value], index) => [
      Buffer.from(index === 0 ? '' : ','),
      name,
      value,
    ]);
    return Buffer.concat([Buffer.from('{'), ...pieces, Buffer.from('}')]);
  };
  return new Map([
    ['inputs', side(columns.input_keys, columns.input_key_mappings)],
    ...(columns.output_keys.length === 0
      ? []
      : ([['outputs', side(columns.output_keys, columns.output_key_mappings)]] as const)),
    ...(columns.metadata_keys.length === 0
      ? []
      : ([['metadata', side(columns.metadata_keys, columns.metadata_key_mappings)]] as const)),
  ]);
}
