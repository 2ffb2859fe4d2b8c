import { ExperimentUpload, UploadedRow } from '@roadstead/contracts/observability';
import type { z } from 'zod';
import { parseJson, elementsOf, membersOf } from '@roadstead/json';
import { type Clock, joined, Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { NewDataset } from '../dataset-records/dataset-store.ts';
import type { DatasetRow } from '../dataset-records/dataset-row.ts';
import { insertDataset, listDatasets, readDataset } from '../dataset-records/dataset-store.ts';
import type { Digest } from '../digest/digest-loop.ts';
import { parsedAt, type SentExample } from '../examples/example-body-codec.ts';
import type { ExampleContext } from '../examples/example-context.ts';
import { prepareExamples, writeGroup } from '../examples/example-creation-work.ts';
import { readCurrentMetadata } from '../examples/example-store.ts';
import type { OnFeedback } from '../feedback/feedback-work.ts';
import type { Faults } from '../decoding/faults.ts';
import { feedbackOf } from '../decoding/feedback-codec.ts';
import { decodeBatch } from '../decoding/json-codec.ts';
import type { FeedbackOperation } from '../records/run-operation.ts';
import { partsOfRequest } from '../writing/request-parts-rules.ts';
import { beginReading, type BodyReading } from '../decoding/sent-json-codec.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { writeFlush } from '../writing/flush-work.ts';
import { packed } from '../records/payload-packing.ts';
import type { SessionRow } from '../session-records/session-row.ts';
import { insertSession } from '../session-records/session-store.ts';
import {
  exampleIdOf,
  instantSent,
  objectsOf,
  type SentFeedback,
  sentRun,
  sentSummary,
  type RowOfExample,
} from './uploaded-experiment-rules.ts';
import type { DatasetKey, InWorkspace, SessionKey } from '../values/keys.ts';

/** Imports an experiment that ran elsewhere: its dataset, examples, runs and feedback, in one transaction. */

export interface UploadsOf {
  readonly db: Database;
  readonly clock: Clock;
  readonly examples: ExampleContext;
  readonly book: PriceBook;
  readonly digest: Pick<Digest, 'wake'>;
  readonly onFeedback: OnFeedback;
}

type UploadBody = z.output<typeof ExperimentUpload>;

/** @throws Problem `conflict` where a project has the name. */
export async function uploadExperiment(
  of: UploadsOf,
  { workspace_id, json }: InWorkspace & { readonly json: Uint8Array },
): Promise<{ readonly dataset_id: string; readonly experiment: SessionRow }> {
  const { db, clock, examples, book, digest, onFeedback } = of;
  const body = parsedAt(ExperimentUpload, await parseJson(json), ['body']);
  const { dataset, is_new } = await datasetOf(of, workspace_id, body);
  const session_id = uuidv7();
  const reading = beginReading();
  const rows = await rowsOf(body.results, dataset.id, { json, ...reading });
  const { runs, feedback } = await operationsOf(rows, { ...reading, body, session_id });
  refuseFaults(reading.faults);
  const fresh = is_new ? rows : await unknownRows(db, dataset, rows);
  const prepared = await prepareExamples(examples, { dataset, sent: await sentExamples(fresh, reading) });
  const request = { workspace_id, runs: await packed(runs), feedback, attachments: [] };
  const priceOf = await book.of([workspace_id]);
  const now_ms = clock.now();
  const experiment = await db.transaction(async (tx) => {
    if (is_new) await insertDataset(tx, dataset);
    if (prepared.length > 0) await writeGroup(tx, { dataset, examples: prepared, now: examples.now() });
    const row = await insertSession(
      tx,
      sessionOf(body, { workspace_id, session_id, dataset_id: dataset.id }),
    );
    for (const part of partsOfRequest(request))
      await writeFlush(tx, { requests: [part], now_ms, priceOf, onFeedback });
    return row;
  });
  digest.wake(workspace_id);
  return { dataset_id: dataset.id, experiment };
}

async function datasetOf(
  { db, examples }: UploadsOf,
  workspace_id: string,
  { dataset_id, dataset_name, dataset_description }: UploadBody,
): Promise<{ readonly dataset: DatasetRow; readonly is_new: boolean }> {
  if (dataset_id !== null && dataset_id !== undefined)
    return { dataset: await readDataset(db, { workspace_id, id: dataset_id }), is_new: false };
  const name = dataset_name ?? '';
  if (name === '')
    throw new Problem('invalid', 'An experiment needs a dataset: give "dataset_id" or "dataset_name".');
  const first = { sort_by: 'name', descending: false, offset: 0, limit: 1 } as const;
  const [found] = await listDatasets(db, { workspace_id, name }, first);
  if (found !== undefined) return { dataset: found, is_new: false };
  const row: NewDataset = {
    workspace_id,
    id: uuidv7(),
    name,
    description: dataset_description ?? null,
    data_type: 'kv',
    inputs_schema_definition: null,
    outputs_schema_definition: null,
    transformations: null,
    metadata: null,
    externally_managed: true,
    created_at: examples.now(),
  };
  return {
    dataset: {
      ...row,
      baseline_experiment_id: null,
      example_count: 0,
      modified_at: row.created_at,
      latest_as_of: null,
      experiments_shared: false,
    },
    is_new: true,
  };
}

/** Reads the rows one after the other, since all at once could take long. */
async function rowsOf(
  results: UploadBody['results'],
  dataset_id: string,
  { json, slice }: BodyReading & { readonly json: Uint8Array },
): Promise<RowOfExample[]> {
  const list = (await membersOf(json, slice))?.get('results');
  const texts = (list && (await elementsOf(list, slice))) ?? [];
  const rows: RowOfExample[] = [];
  for (const [index, sent] of results.entries()) {
    const row = parsedAt(UploadedRow, sent, ['body', 'results', index]);
    const members = await membersOf(texts[index] ?? new Uint8Array(), slice);
    const objects = objectsOf(row, members);
    rows.push({ row, json: objects, index, example_id: exampleIdOf(row, dataset_id) });
    if (slice.isOver()) await slice.next();
  }
  return rows;
}

async function operationsOf(
  rows: readonly RowOfExample[],
  { body, session_id, ...reading }: BodyReading & { readonly body: UploadBody; readonly session_id: string },
) {
  const scores: SentFeedback[] = [];
  const pieces: Uint8Array[] = [];
  for (const row of rows) {
    const { run, feedback } = sentRun(row, session_id);
    scores.push(...feedback);
    pieces.push(Buffer.from(pieces.length === 0 ? '{"post":[' : ','), ...run);
    if (reading.slice.isOver()) await reading.slice.next();
  }
  const batch = await joined([...pieces, Buffer.from(pieces.length === 0 ? '{}' : ']}')]);
  const { runs } = await decodeBatch(batch, reading);
  scores.push(...sentSummary(body.summary_experiment_scores ?? [], session_id));
  const feedback: FeedbackOperation[] = [];
  for (const { id, body: score } of scores) {
    const one = await feedbackOf(id, Buffer.from(JSON.stringify(score)), reading);
    if (one !== undefined) feedback.push(one);
    if (reading.slice.isOver()) await reading.slice.next();
  }
  return { runs, feedback };
}

/** Refuses the whole upload for any fault, so that nothing is half imported. */
function refuseFaults({ issues }: Faults): void {
  if (issues.length > 0)
    throw new Problem('malformed', 'The experiment has values that cannot be stored.', { issues });
}

async function unknownRows(
  db: Database,
  dataset: DatasetRow,
  rows: readonly RowOfExample[],
): Promise<RowOfExample[]> {
  const example_ids = rows.map((row) => row.example_id);
  const known = await readCurrentMetadata(db, { ...dataset, example_ids });
  return rows.filter((row) => !known.has(row.example_id));
}

/** Several rows may be about one example. */
async function sentExamples(rows: readonly RowOfExample[], { slice }: BodyReading): Promise<SentExample[]> {
  const examples: SentExample[] = [];
  for (const { json, index, example_id } of new Map(rows.map((one) => [one.example_id, one])).values()) {
    examples.push({
      at: `results.${index}`,
      fields: { id: example_id },
      inputs: json.inputs,
      outputs: json.expected_outputs,
      metadata: undefined,
      splits: undefined,
      attachments: [],
      attachments_operations: undefined,
    });
    if (slice.isOver()) await slice.next();
  }
  return examples;
}

function sessionOf(body: UploadBody, ids: SessionKey & DatasetKey): Omit<SessionRow, 'test_run_number'> {
  return {
    workspace_id: ids.workspace_id,
    id: ids.session_id,
    name: body.experiment_name,
    description: body.experiment_description ?? null,
    extra: { metadata: body.experiment_metadata ?? {} },
    start_time: instantSent(body.experiment_start_time, ['body', 'experiment_start_time']),
    end_time: instantSent(body.experiment_end_time, ['body', 'experiment_end_time']),
    default_dataset_id: null,
    reference_dataset_id: ids.dataset_id,
    trace_tier: null,
    num_examples: null,
    num_repetitions: null,
    evaluator_keys: null,
    kicked_off_by: null,
    is_agent: false,
  };
}
