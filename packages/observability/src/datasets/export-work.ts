import { membersOf } from '@roadstead/json';
import { TimeSlice } from '@roadstead/kit';
import { stringify } from 'csv-stringify/sync';
import { everyExample } from '../examples/example-pages-work.ts';
import type { ExampleRecord } from '../examples/example-row.ts';
import type { ExampleFilter } from '../examples/example-store.ts';
import type { ExampleContext } from '../examples/example-context.ts';
import { readJson } from '../decoding/sent-json-codec.ts';
import { wholePayload } from '../records/payload-packing.ts';
import { csvColumns, csvValue, type ExampleValues } from './export-rules.ts';

/** Datasets as files, written while they are read. */

type Pieces = AsyncGenerator<string | Uint8Array>;
type Source = Pick<ExampleContext, 'db'> & { readonly filter: ExampleFilter };

const MAX_COLUMNS = 1000;

/** A row for each example; the columns are all names that occur, in the order of their first occurrence. */
export async function* csvPieces({ db, filter }: Source): Pieces {
  const slice = new TimeSlice();
  const names = { inputs: new Set<string>(), outputs: new Set<string>() };
  for await (const record of everyExample(db, filter)) {
    for (const kind of ['inputs', 'outputs'] as const)
      for (const name of (await membersIn(record[kind], slice)).keys())
        if (names[kind].size < MAX_COLUMNS) names[kind].add(name);
    if (slice.isOver()) await slice.next();
  }
  const titles = csvColumns([...names.inputs], [...names.outputs]);
  yield stringify([['id', ...titles.inputs, ...titles.outputs, 'metadata']]);
  for await (const record of everyExample(db, filter)) {
    const [inputs, outputs] = [await membersIn(record.inputs, slice), await membersIn(record.outputs, slice)];
    const values = [
      ...[...names.inputs].map((name) => csvValue(inputs.get(name))),
      ...[...names.outputs].map((name) => csvValue(outputs.get(name))),
    ];
    yield stringify([[record.row.example_id, ...values, record.row.metadata ?? '']]);
    if (slice.isOver()) await slice.next();
  }
}

async function membersIn(
  payload: ExampleRecord['inputs'],
  slice: TimeSlice,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const json = payload && (await wholePayload(payload));
  return (json && (await membersOf(json, slice))) ?? new Map();
}

/** A line for each example; inputs, outputs and metadata are as they were sent, except for their line breaks. */
export async function* jsonlPieces({ db, filter }: Source): Pieces {
  for await (const { row, inputs, outputs } of everyExample(db, filter)) {
    yield `{"id":${JSON.stringify(row.example_id)},"inputs":`;
    yield inputs === undefined ? '{}' : onOneLine(await wholePayload(inputs));
    yield ',"outputs":';
    yield outputs === undefined ? 'null' : onOneLine(await wholePayload(outputs));
    yield `,"metadata":${row.metadata ?? 'null'}}\n`;
  }
}

/** A line break in JSON is white space: within a text it is escaped. */
function onOneLine(json: Uint8Array): Uint8Array {
  if (!json.includes(0x0a) && !json.includes(0x0d)) return json;
  const line = Buffer.from(json);
  for (const sign of [0x0a, 0x0d])
    for (let at = line.indexOf(sign); at >= 0; at = line.indexOf(sign, at + 1)) line[at] = 0x20;
  return line;
}

/** A line for each example, made from its values. */
export async function* linePieces(
  { db, filter }: Source,
  lineOf: (values: ExampleValues) => unknown,
): Pieces {
  const slice = new TimeSlice();
  for await (const { inputs, outputs } of everyExample(db, filter)) {
    yield `${JSON.stringify(lineOf({ inputs: await valueOf(inputs), outputs: await valueOf(outputs) }))}\n`;
    if (slice.isOver()) await slice.next();
  }
}

async function valueOf(payload: ExampleRecord['inputs']): Promise<unknown> {
  if (payload === undefined) return null;
  return (await readJson(await wholePayload(payload)))?.value;
}
