import { type Admission, type Bound, Problem } from '@roadstead/kit';
import { decodeTraces, type Dialect } from './dialect-codec.ts';
import type { Faults } from '../decoding/faults.ts';
import type { IngestQueue } from './ingest-queue.ts';
import { MAX_LEVELS } from '../records/placement-rules.ts';
import { MAX_RUNS_PER_TRACE, type Operations } from '../records/run-operation.ts';
import { beginReading } from '../decoding/sent-json-codec.ts';

/** A request's body and what is needed to read it. */
export type SentTraces = Dialect & { readonly workspace_id: string; readonly bytes: Buffer };

/** The outcome of a request of which something was stored; plain data. */
export interface IntakeOutcome {
  /** The parts that could not be stored; `issues` is absent where everything was. */
  readonly answer: Faults['answer'];
  /** The number of spans that are no runs, of log records that are left out, and of runs for which their traces have no room. */
  readonly rejected: number;
}

export interface TakingTraces {
  readonly queue: Pick<IngestQueue, 'add'>;
  /** Admits workspaces whose bodies are read now. */
  readonly reading: Admission;
}

const MOST_RUNS = MAX_RUNS_PER_TRACE.toLocaleString('en-US');

/**
 * Reads a body and resolves once all of it is committed.
 * @throws Problem `malformed` or `invalid` where nothing of it could be stored, `limit` where the workspace may begin no
 * more traces, `unavailable` when the database is away.
 */
export async function takeTraces({ queue, reading }: TakingTraces, sent: SentTraces): Promise<IntakeOutcome> {
  const { workspace_id } = sent;
  const { decoded, faults } = await decodedInTurn(reading, sent);
  const { rejected = 0, ...operations } = decoded;
  refuseNothing(operations, faults);
  const { refused, left_out, flattened } = await queue.add({ workspace_id, ...operations });
  const full = new Map(refused.map(({ run_id, trace_id }) => [run_id, trace_id]));
  for (const [run_id, trace_id] of full)
    faults.add(run_id, `is not stored, since its trace ${trace_id} holds ${MOST_RUNS} runs already`);
  for (const { run_id, field } of left_out)
    faults.add(run_id, `sends more that is left out: its ${field} would exceed the limit of one field`);
  for (const run_id of flattened)
    faults.add(
      run_id,
      `stands deeper than ${MAX_LEVELS} levels, and is placed beside the runs of that level`,
    );
  const isAnyStored =
    operations.runs.some(({ run_id }) => !full.has(run_id)) ||
    operations.feedback.length + operations.attachments.length > 0;
  if (full.size > 0 && !isAnyStored)
    throw new Problem('invalid', `A trace holds ${MOST_RUNS} runs at most.`, { issues: faults.issues });
  return { answer: faults.answer, rejected: rejected + full.size };
}

async function decodedInTurn(turns: Admission, { workspace_id, bytes, ...dialect }: SentTraces) {
  using _turn = await turns.take(readBound.owner(workspace_id));
  const reading = beginReading();
  const decoded = await decodeTraces(bytes, { ...dialect, ...reading });
  return { decoded, faults: reading.faults };
}

/** @throws Problem `malformed` where the faults leave nothing to store. */
function refuseNothing({ runs, feedback, attachments }: Operations, faults: Faults): void {
  if (runs.length + feedback.length + attachments.length > 0 || faults.issues.length === 0) return;
  throw new Problem('malformed', 'Nothing of the request can be stored.', { issues: faults.issues });
}

/**
 * How many bodies are read at once, one for each workspace: workspaces share the thread's time, however many bodies
 * one of them sends.
 */
export const readBound: Bound<string> = { size: 2, owner: (workspace_id) => [workspace_id] };
