/** How a file of examples is read in the browser: its columns and first rows, and where it may be cut into pieces. */

export type FileKind = 'csv' | 'jsonl';
export type Part = 'inputs' | 'outputs' | 'metadata' | 'none';

export interface FileHead {
  readonly kind: FileKind;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Whether each line names `inputs` itself, so that columns need no part. */
  readonly is_ready: boolean;
}

export const kindOf = (name: string): FileKind | undefined =>
  /\.csv$/i.test(name) ? 'csv' : /\.(jsonl|ndjson)$/i.test(name) ? 'jsonl' : undefined;

/** Reads CSV (RFC 4180); a row that is not ended is not in it, unless the text is whole. */
export function csvRows(text: string, { is_whole }: { readonly is_whole: boolean }): string[][] {
  const rows: string[][] = [];
  let [row, cell, isQuoted] = [[] as string[], '', false];
  const endRow = () => {
    if (row.length > 0 || cell !== '') rows.push([...row, cell]);
    [row, cell] = [[], ''];
  };
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"') isQuoted = true;
    else if (letter === ',') {
      row.push(cell);
      cell = '';
    } else if (letter === '\n') endRow();
    else if (letter !== '\r') cell += letter;
  }
  if (is_whole) endRow();
  return rows;
}

interface Head {
  readonly kind: FileKind;
  readonly is_whole: boolean;
}

const SHOWN = 5;

/** @throws Error that says what is wrong with the file. */
export function headOf(text: string, { kind, is_whole }: Head): FileHead {
  const plain = text.replace(/^\uFEFF/, '');
  return kind === 'csv' ? csvHead(plain, is_whole) : jsonlHead(plain, is_whole);
}

function csvHead(text: string, is_whole: boolean): FileHead {
  const [columns, ...rows] = csvRows(text, { is_whole });
  if (columns === undefined) throw new Error('The file is empty: its first line must name the columns.');
  if (rows.length === 0) throw new Error('The file has a line of column names and no rows below it.');
  return { kind: 'csv', columns, rows: rows.slice(0, SHOWN), is_ready: false };
}

function jsonlHead(text: string, is_whole: boolean): FileHead {
  const lines = text.split('\n');
  if (!is_whole) lines.pop();
  const values = lines
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '')
    .slice(0, SHOWN)
    .map(({ line, number }) => objectIn(line, number));
  if (values.length === 0) throw new Error('The file is empty: each line must be a JSON object.');
  const columns = [...new Set(values.flatMap((value) => Object.keys(value)))];
  const rows = values.map((value) => columns.map((column) => cellOf(value[column])));
  return { kind: 'jsonl', columns, rows, is_ready: values.every(({ inputs }) => isPlain(inputs)) };
}

function objectIn(line: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (isPlain(value)) return value;
  } catch {
    throw new Error(`Line ${number} is not JSON.`);
  }
  throw new Error(`Line ${number} is not a JSON object.`);
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const cellOf = (value: unknown) =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

const outputNames = /^(outputs?|answers?|expected.*|reference.*|labels?|targets?|completion|response)$/i;
const metadataNames = /^(metadata|split|tags?|source|id|topic|category)$/i;

/** The part that a column probably belongs to, by its name. */
export const partOf = (column: string): Part =>
  outputNames.test(column) ? 'outputs' : metadataNames.test(column) ? 'metadata' : 'inputs';

interface Scan {
  readonly kind: FileKind;
  /** Whether the bytes begin within quotes. */
  readonly is_quoted: boolean;
}

const [NEWLINE, QUOTE] = [0x0a, 0x22];

/** The ends of the first and the last record within bytes (-1 where none ends), and whether the bytes end within quotes. */
export function recordEnds(bytes: Uint8Array, { kind, is_quoted }: Scan) {
  let [first, last, isQuoted] = [-1, -1, is_quoted];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE && kind === 'csv') isQuoted = !isQuoted;
    else if (byte === NEWLINE && !isQuoted) {
      if (first === -1) first = at + 1;
      last = at + 1;
    }
  }
  return { first, last, is_quoted: isQuoted };
}
