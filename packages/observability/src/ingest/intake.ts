import { ByteBudget, Problem, TimeSlice } from '@roadstead/kit';
import type { DiskGuard } from '../info/disk-guard.ts';
import { readDecoded } from './body-decoder.ts';
import { ByteGate } from './byte-gate.ts';
import { Faults } from './faults.ts';
import type { IngestQueue } from './ingest-queue.ts';
import { MAX_RUNS_PER_TRACE } from '../runs/flush-rules.ts';
import { USAGE_LIMIT } from '../usage/usage-rules.ts';
import type { Operations } from './run-operation.ts';
import type { Reading } from './sent-json-codec.ts';

/** Bodies in memory at once, from their first byte until they are committed. */
const MAX_HELD_BYTES = 268_435_456;
/** Of one workspace. */
const MAX_WORKSPACE_BYTES = 134_217_728;

const MOST_RUNS = MAX_RUNS_PER_TRACE.toLocaleString('en-US');

interface IngestCall {
  readonly request: Request;
  readonly workspace_id: string;
}

/**
 * Takes a request of any dialect: reads all of it, and resolves once all of it is committed. What could not be stored
 * is noted in the faults.
 * @throws Problem `unavailable` where there is no room now, so that clients send it again; `malformed` or `invalid`
 * where nothing of it could be stored.
 */
export type Intake = (
  call: IngestCall,
  decode: (body: Buffer, reading: Reading) => Promise<Operations>,
) => Promise<Faults>;

export function createIntake(queue: IngestQueue, disk: DiskGuard): Intake {
  const gate = new ByteGate(MAX_HELD_BYTES);
  const budget = new ByteBudget(MAX_WORKSPACE_BYTES);
  const take: Intake = async ({ request, workspace_id }, decode) => {
    await disk.requireSpace();
    using body = await readDecoded(request, { gate, held: budget.open(workspace_id) });
    const faults = new Faults();
    const operations = await decode(body.bytes, { slice: new TimeSlice(), faults });
    refuseNothing(operations, faults);
    const { refused } = await queue.add({ workspace_id, ...operations });
    const full = new Map(refused.map(({ run_id, trace_id }) => [run_id, trace_id]));
    faults.refused = full.size;
    for (const [run_id, trace_id] of full)
      faults.add(run_id, `is not stored, since its trace ${trace_id} holds ${MOST_RUNS} runs already`);
    const isAnyStored =
      operations.runs.some(({ run_id }) => !full.has(run_id)) ||
      operations.feedback.length + operations.attachments.length > 0;
    if (full.size > 0 && !isAnyStored)
      throw new Problem('invalid', `A trace holds ${MOST_RUNS} runs at most.`, { issues: faults.issues });
    return faults;
  };
  return (call, decode) => take(call, decode).catch((error: unknown) => Promise.reject(laterOr(error)));
}

/** Clients give up on other refusals of what they may send again. What a limit of usage refuses has no better time soon. */
function laterOr(error: unknown): unknown {
  if (!(error instanceof Problem) || error.kind !== 'limit' || error.code === USAGE_LIMIT) return error;
  const { message, hint, retry_after_s = 2 } = error;
  return new Problem('unavailable', message, {
    ...(hint === undefined ? {} : { hint }),
    retry_after_s,
    cause: error,
  });
}

/** @throws Problem `malformed` where faults have left nothing to store. */
function refuseNothing({ runs, feedback, attachments }: Operations, faults: Faults): void {
  if (runs.length + feedback.length + attachments.length > 0 || faults.issues.length === 0) return;
  throw new Problem('malformed', 'Nothing of the request can be stored.', { issues: faults.issues });
}
