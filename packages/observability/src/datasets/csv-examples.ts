import { Readable } from 'node:stream';
import { malformed, Problem, TimeSlice } from '@roadstead/kit';
import { CsvError, parse } from 'csv-parse';
import type { SentExample } from '../examples/example-body-codec.ts';
import { textPieces } from './file-text.ts';
import type { UploadedColumns } from './upload-fields-rules.ts';

/** Examples out of a CSV file with a header. Every value is text. */

const MAX_RECORD_CHARS = 20_971_520;
const MAX_ROWS = 100_000;
const MAX_COLUMNS = 10_000;

/** @throws Problem `malformed` that names the line and the column; the caller has written nothing yet. */
export async function csvExamples(content: Uint8Array, columns: UploadedColumns): Promise<SentExample[]> {
  const slice = new TimeSlice();
  const parser = Readable.from(textPieces(content, slice)).compose(
    parse({ bom: true, info: true, max_record_size: MAX_RECORD_CHARS, skip_empty_lines: true }),
  );
  const examples: SentExample[] = [];
  let picked: ColumnMapping | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<Row>) {
      if (picked === undefined) picked = pickedColumns(record, columns);
      else examples.push(exampleOf(record, { picked, line: info.lines }));
      if (examples.length > MAX_ROWS)
        throw new Problem('too_large', `The file has more than ${MAX_ROWS} rows.`);
      if (slice.isOver()) await slice.next();
    }
  } catch (error) {
    throw refusalOf(error);
  }
  if (picked === undefined) throw fileFault('is empty; its first line must name the columns');
  return examples;
}

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const sides = ['inputs', 'outputs', 'metadata'] as const;
type Side = (typeof sides)[number];
/** The name that each column has in the example. */
type ColumnMapping = Readonly<Record<Side, readonly { readonly index: number; readonly name: string }[]>>;

function pickedColumns(header: readonly string[], columns: UploadedColumns): ColumnMapping {
  if (header.length > MAX_COLUMNS) throw fileFault(`has more than ${MAX_COLUMNS} columns`);
  // The first column of each name.
  const places = new Map(header.map((name, index) => [name, index] as const).toReversed());
  const twice = header.findIndex((name, index) => places.get(name) !== index);
  if (twice >= 0)
    throw fileFault(`line 1, column ${twice + 1}: the column ${quoted(header[twice] ?? '')} occurs twice`);
  const pick = (
    keys: readonly string[],
    { field, mapping = {} }: { field: string; mapping?: Readonly<Record<string, string>> | undefined },
  ) =>
    keys.map((key) => {
      const index = places.get(key);
      if (index === undefined) throw malformed(['body', field], `${quoted(key)} is no column of the file`);
      return { index, name: mapping[key] ?? key };
    });
  if (columns.input_keys.length === 0) throw malformed(['body', 'input_keys'], 'is required', 'missing');
  return {
    inputs: pick(columns.input_keys, { field: 'input_keys', mapping: columns.input_key_mappings }),
    outputs: pick(columns.output_keys, { field: 'output_keys', mapping: columns.output_key_mappings }),
    metadata: pick(columns.metadata_keys, { field: 'metadata_keys', mapping: columns.metadata_key_mappings }),
  };
}

function exampleOf(
  record: readonly string[],
  { picked, line }: { readonly picked: ColumnMapping; readonly line: number },
): SentExample {
  const textOf = (side: Side) =>
    picked[side].length === 0
      ? undefined
      : JSON.stringify(
          Object.fromEntries(picked[side].map(({ index, name }) => [name, record[index] ?? ''])),
        );
  const outputs = textOf('outputs');
  return {
    at: `body.file.line ${line}`,
    fields: {},
    inputs: Buffer.from(textOf('inputs') ?? '{}'),
    outputs: outputs === undefined ? undefined : Buffer.from(outputs),
    metadata: textOf('metadata'),
    splits: undefined,
    attachments: [],
    attachments_operations: undefined,
  };
}

const quoted = (name: string) => JSON.stringify(name.slice(0, 100));

const fileFault = (msg: string) => malformed(['body', 'file'], msg, 'csv_invalid');

const sentences: Readonly<Record<string, string>> = {
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'the line and the header differ in their number of values',
  CSV_RECORD_INCONSISTENT_COLUMNS: 'the line and the header differ in their number of values',
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a closing quote is followed by neither a comma nor the end of the line',
  INVALID_OPENING_QUOTE: 'a quote is within a value that does not begin with one',
  CSV_MAX_RECORD_SIZE: 'the line is too long',
};

function refusalOf(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error;
  const { lines, column, index } = error as { lines?: number; column?: number | string; index?: number };
  const place = `line ${lines ?? '?'}, column ${typeof column === 'number' ? column + 1 : (index ?? 0) + 1}`;
  return new Problem('malformed', 'The file is no CSV file that can be read.', {
    cause: error,
    issues: [
      {
        loc: ['body', 'file'],
        msg: `${place}: ${sentences[error.code] ?? 'the line cannot be read'}`,
        type: 'csv_invalid',
      },
    ],
  });
}
