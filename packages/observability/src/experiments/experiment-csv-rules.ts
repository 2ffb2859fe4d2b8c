import { secondsBetween } from '../values/instant-rules.ts';
import { type StoredPayload, unpackPieces } from '../records/payload-packing.ts';
import { statusOf, usageOf } from '../reading/run-answer-rules.ts';
import type { ComparedExample } from './experiment-answer-rules.ts';

/** The outputs of experiments as a table: a line for each example and repetition. */

type Pieces = AsyncGenerator<string | Uint8Array>;
type Run = ComparedExample['runs'][number];
/** Text, or JSON as it was sent. */
type Cell = string | number | null | StoredPayload | undefined;

const ofRun: Readonly<Record<string, (run: Run, preview: boolean) => Cell>> = {
  run_id: ({ record }) => record.row.run_id,
  outputs: ({ record }, preview) => (preview ? record.row.outputs_preview : record.payloads.outputs),
  status: ({ record }) => statusOf(record.row),
  error: ({ record }) => record.payloads.error,
  latency: ({ record: { row } }) =>
    row.end_time === null ? null : secondsBetween(row.start_time, row.end_time),
  total_tokens: ({ record }) => usageOf(record).total_tokens,
  total_cost: ({ record }) => usageOf(record).total_cost,
};

interface CsvOptions {
  /** The experiments, in the order of their columns; where several are shown, each column names its own. */
  readonly experiments: readonly { readonly id: string; readonly name: string }[];
  /** Whether only the beginnings of outputs are shown. */
  readonly preview: boolean;
  /** The names of the people who gave feedback, for a column of their own. */
  readonly names: ReadonlyMap<string, string> | undefined;
}

export async function* experimentsCsv(examples: readonly ComparedExample[], shown: CsvOptions): Pieces {
  const { experiments, names } = shown;
  const keys = [
    ...new Set(examples.flatMap(({ runs }) => runs.flatMap((run) => run.feedback.map(({ key }) => key)))),
  ];
  const ofKey = (key: string) => [
    `feedback.${key}`,
    ...(names === undefined ? [] : [`feedback.${key}.annotator`]),
  ];
  const columns = [...Object.keys(ofRun), ...keys.sort().flatMap(ofKey)];
  const titles = experiments.flatMap(({ name }) =>
    columns.map((column) => (experiments.length > 1 ? `${name}: ${column}` : column)),
  );
  yield* lineOf(['example_id', 'inputs', 'reference_outputs', ...titles]);
  for (const { example, runs } of examples) {
    const ofExperiments = experiments.map(({ id }) =>
      runs.filter(({ record }) => record.row.session_id === id),
    );
    const repetitions = Math.max(...ofExperiments.map((some) => some.length));
    for (let index = 0; index < repetitions; index += 1)
      yield* lineOf([
        example.row.example_id,
        example.inputs,
        example.outputs,
        ...ofExperiments.flatMap((some) => cellsOf(some[index], keys, shown)),
      ]);
  }
}

function cellsOf(run: Run | undefined, keys: readonly string[], { preview, names }: CsvOptions): Cell[] {
  const scores = keys.flatMap((key) => {
    const found = run?.feedback.find((one) => one.key === key);
    const score = found?.score ?? (typeof found?.value === 'string' ? found.value : null);
    return names === undefined ? [score] : [score, names.get(found?.user_id ?? '')];
  });
  return [...Object.values(ofRun).map((read) => run && read(run, preview)), ...scores];
}

async function* lineOf(cells: readonly Cell[]): Pieces {
  for (const [index, cell] of cells.entries()) {
    if (index > 0) yield ',';
    if (cell === null || cell === undefined) continue;
    if (typeof cell === 'object') yield* quotedPieces(cell);
    else yield /[",\r\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell);
  }
  yield '\r\n';
}

/** A quote is one byte in UTF-8 and part of no other character, so pieces may be cut anywhere. */
async function* quotedPieces(payload: StoredPayload): Pieces {
  yield '"';
  for await (const piece of unpackPieces(payload.pieces()))
    yield Buffer.from(Buffer.from(piece).toString('latin1').replaceAll('"', '""'), 'latin1');
  yield '"';
}
