import { elementsOf, membersOf } from '@roadstead/json';
import { issuesOf, malformed, Problem, TimeSlice } from '@roadstead/kit';
import { Uuid, WellFormedText } from '@roadstead/contracts';
import { z } from 'zod';
import { isWritable } from '../values/column-text-rules.ts';
import { countJson, readJson } from '../decoding/sent-json-codec.ts';

/** Examples as clients send them. Inputs, outputs and metadata are checked and kept byte for byte. */

const text = WellFormedText.max(500);
const SentFields = z.object({
  id: Uuid.nullish(),
  dataset_id: Uuid.nullish(),
  created_at: z.union([z.string(), z.number()]).nullish(),
  source_run_id: Uuid.nullish(),
  split: z.union([text, z.array(text).max(1000)]).nullish(),
  use_source_run_io: z.boolean().nullish(),
  use_source_run_attachments: z.array(text).nullish(),
  /** For a change: whether fields that are not sent are emptied instead of kept. */
  overwrite: z.boolean().nullish(),
});
const fieldNames = Object.keys(SentFields.shape);

export const SentOperations = z.object({
  rename: z.record(text, text).nullish(),
  retain: z.array(text).nullish(),
});
export type SentOperations = z.output<typeof SentOperations>;

export interface SentFile {
  readonly name: string;
  readonly content_type: string;
  readonly content: Uint8Array;
}

export interface SentExample {
  /** The example's name in faults, as the client knows it. */
  readonly at: string;
  readonly fields: z.output<typeof SentFields>;
  readonly inputs: Uint8Array | undefined;
  readonly outputs: Uint8Array | undefined;
  /** A JSON object, and the splits that it or the field names. */
  readonly metadata: string | undefined;
  readonly splits: readonly string[] | undefined;
  readonly attachments: readonly SentFile[];
  readonly attachments_operations: SentOperations | undefined;
}

/** The limit on one payload. */
const MAX_PAYLOAD_BYTES = 20_971_520;
const MAX_METADATA_BYTES = 262_144;
const MAX_SPLITS = 1000;

/** The place of a value in the request, as a refusal names it. */
type At = readonly (string | number)[];

const decoder = new TextDecoder();

/** @throws Problem `malformed` where it is no JSON object, `too_large` where it is too large. */
export async function requireObject(json: Uint8Array, at: At, max_bytes = MAX_PAYLOAD_BYTES): Promise<void> {
  if (json.length > max_bytes)
    throw new Problem('too_large', `${at.join('.')} is larger than ${max_bytes} bytes.`);
  await countJson(json);
  const read = await readJson(json);
  if (read === undefined) throw malformed(at, 'is not valid JSON in UTF-8', 'json_invalid');
  if (typeof read.value !== 'object' || read.value === null || Array.isArray(read.value))
    throw malformed(at, 'is not an object');
}

async function requireMetadata(json: Uint8Array, at: At): Promise<void> {
  await requireObject(json, at, MAX_METADATA_BYTES);
  if (!isWritable(decoder.decode(json))) throw malformed(at, 'holds a number that is out of range');
}

type Members = ReadonlyMap<string, Uint8Array>;

/** The value of a small member. */
async function valueOf(json: Uint8Array | undefined, at: At): Promise<unknown> {
  if (json === undefined) return undefined;
  if (json.length > MAX_METADATA_BYTES) throw malformed(at, 'is too large');
  const read = await readJson(json);
  if (read === undefined) throw malformed(at, 'is not valid JSON in UTF-8', 'json_invalid');
  return read.value;
}

/** @throws Problem `malformed` naming the fields that are wrong. */
export function parsedAt<S extends z.ZodType>(schema: S, value: unknown, at: At): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Problem('malformed', 'The request has fields of the wrong shape.', {
    issues: issuesOf(result.error, at),
  });
}

const isNull = (json: Uint8Array) => json.length === 4 && decoder.decode(json) === 'null';

/** The fields of an example, read from the members of its own JSON; null counts as absent. */
export async function exampleOf(
  members: Members,
  { at, files = [] }: { readonly at: At; readonly files?: readonly SentFile[] },
): Promise<SentExample> {
  const said = (name: string) => {
    const json = members.get(name);
    return json === undefined || isNull(json) ? undefined : json;
  };
  const raw: Record<string, unknown> = {};
  for (const name of fieldNames) raw[name] = await valueOf(said(name), [...at, name]);
  const fields = parsedAt(SentFields, raw, at);
  const payloads = { inputs: said('inputs'), outputs: said('outputs') };
  for (const kind of ['inputs', 'outputs'] as const) {
    const json = payloads[kind];
    if (json !== undefined) await requireObject(json, [...at, kind]);
  }
  const metadata = said('metadata');
  if (metadata !== undefined) await requireMetadata(metadata, [...at, 'metadata']);
  const operations = said('attachments_operations');
  return {
    at: at.join('.'),
    fields,
    ...payloads,
    metadata: metadata && decoder.decode(metadata),
    splits: splitsOf(fields.split) ?? (await splitsIn(metadata, [...at, 'metadata'])),
    attachments: files,
    attachments_operations:
      operations &&
      parsedAt(SentOperations, await valueOf(operations, [...at, 'attachments_operations']), [
        ...at,
        'attachments_operations',
      ]),
  };
}

function splitsOf(split: string | readonly string[] | null | undefined): readonly string[] | undefined {
  if (split === null || split === undefined) return undefined;
  return typeof split === 'string' ? [split] : [...new Set(split)];
}

/** The splits in the metadata, which is where they are kept. */
async function splitsIn(metadata: Uint8Array | undefined, at: At): Promise<readonly string[] | undefined> {
  const members = metadata && (await membersOf(metadata, new TimeSlice()));
  const value = await valueOf(members?.get('dataset_split'), [...at, 'dataset_split']);
  if (value === undefined || value === null) return undefined;
  const splits = z.union([text, z.array(text).max(MAX_SPLITS)]);
  return splitsOf(parsedAt(splits, value, [...at, 'dataset_split']));
}

/** The body of a request that writes one example. */
export async function sentExample(json: Uint8Array): Promise<SentExample> {
  return sentChange(json, 'body');
}

export async function sentChange(json: Uint8Array, at: string): Promise<SentExample> {
  const members = await membersOf(json, new TimeSlice());
  if (members === undefined) throw malformed([at], 'is not a JSON object', 'json_invalid');
  return exampleOf(members, { at: [at] });
}

const MAX_EXAMPLES = 20_000;

/** The body of a request that writes several examples. */
export async function sentExamples(json: Uint8Array): Promise<SentExample[]> {
  const slice = new TimeSlice();
  const elements = await elementsOf(json, slice);
  if (elements === undefined) throw malformed(['body'], 'is not a JSON list', 'json_invalid');
  if (elements.length > MAX_EXAMPLES)
    throw new Problem('too_large', `The body holds more than ${MAX_EXAMPLES} examples.`);
  const examples: SentExample[] = [];
  for (const [index, element] of elements.entries()) {
    const members = await membersOf(element, slice);
    if (members === undefined) throw malformed(['body', index], 'is not a JSON object', 'json_invalid');
    examples.push(await exampleOf(members, { at: ['body', index] }));
    if (slice.isOver()) await slice.next();
  }
  return examples;
}
