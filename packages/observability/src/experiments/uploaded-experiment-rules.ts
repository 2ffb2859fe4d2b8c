import type { UploadedRow } from '@roadstead/contracts/observability';
import type { z } from 'zod';
import { malformed, uuidv5, uuidv7 } from '@roadstead/kit';
import { instantOf } from '../values/instant-rules.ts';
import { segmentOf } from '../records/placement-rules.ts';

/** Turns an uploaded experiment into examples, runs and feedback, as clients send them one by one. */

type Row = z.output<typeof UploadedRow>;
type Score = NonNullable<Row['evaluation_scores']>[number];

/** The id of a row's example: the row's own id, or one made from these inputs and this dataset. */
export function exampleIdOf({ row_id, inputs }: Pick<Row, 'row_id' | 'inputs'>, dataset_id: string): string {
  return (row_id ?? uuidv5(sortedJson(inputs), dataset_id)).toLowerCase();
}

/** The same text for the same value, whatever the order of its members. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const objects = ['inputs', 'expected_outputs', 'actual_outputs', 'run_metadata'] as const;

/** The objects of a row as they were sent, so that no number is rounded; undefined where the row has no such object. */
export function objectsOf(
  row: Row,
  members: ReadonlyMap<string, Uint8Array> | undefined,
): RowOfExample['json'] {
  const said = (name: (typeof objects)[number]) =>
    row[name] == null ? undefined : (members?.get(name) ?? Buffer.from(JSON.stringify(row[name])));
  return Object.fromEntries(objects.map((name) => [name, said(name)])) as RowOfExample['json'];
}

export interface SentFeedback {
  readonly id: string;
  readonly body: object;
}

/** A row, and the example that it is about. */
export interface RowOfExample {
  readonly row: Row;
  /** Its objects as they were sent. */
  readonly json: Readonly<Record<(typeof objects)[number], Uint8Array | undefined>>;
  readonly index: number;
  readonly example_id: string;
}

const NOTHING = Buffer.from('{}');

/** @returns the run as JSON, in pieces. @throws Problem `malformed` that names a row with invalid times. */
export function sentRun(
  { row, json, index, example_id }: RowOfExample,
  session_id: string,
): { readonly run: readonly Uint8Array[]; readonly feedback: readonly SentFeedback[] } {
  const at = ['body', 'results', index];
  const start_time = instantSent(row.start_time, [...at, 'start_time']);
  const end_time = instantSent(row.end_time, [...at, 'end_time']);
  const id = uuidv7();
  const hot = {
    id,
    trace_id: id,
    dotted_order: segmentOf(start_time, id),
    session_id,
    name: row.run_name ?? 'row',
    run_type: 'chain',
    start_time,
    end_time,
    error: row.error ?? undefined,
    reference_example_id: example_id,
  };
  const { inputs = NOTHING, actual_outputs: outputs, run_metadata: metadata = NOTHING } = json;
  const run = [
    Buffer.from(`${JSON.stringify(hot).slice(0, -1)},"inputs":`),
    inputs,
    ...(outputs === undefined ? [] : [Buffer.from(',"outputs":'), outputs]),
    Buffer.from(',"extra":{"metadata":'),
    metadata,
    Buffer.from('}}'),
  ];
  const about = { run_id: id, trace_id: id, session_id };
  return { run, feedback: (row.evaluation_scores ?? []).map((score) => feedbackSent(score, about)) };
}

/** Feedback on the experiment as a whole. */
export const sentSummary = (scores: readonly Score[], session_id: string): SentFeedback[] =>
  scores.map((score) => feedbackSent(score, { session_id }));

function feedbackSent(score: Score, about: object): SentFeedback {
  return {
    id: score.id ?? uuidv7(),
    body: { ...score, feedback_source: score.feedback_source ?? { type: 'api' }, ...about },
  };
}

export function instantSent(text: string, at: readonly (string | number)[]): string {
  const instant = instantOf(text);
  if (instant === undefined) throw malformed(at, 'is not an ISO 8601 instant');
  return instant;
}
