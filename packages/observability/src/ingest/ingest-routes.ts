import type { observability } from '@roadstead/contracts/observability';
import { ByteBudget, type Handlers, Problem, TimeSlice } from '@roadstead/kit';
import type { DiskGuard } from '../info/disk-guard.ts';
import { readDecoded } from './body-decoder.ts';
import { Faults } from './faults.ts';
import { ByteGate } from './byte-gate.ts';
import type { IngestQueue } from './ingest-queue.ts';
import { decodeBatch, decodePatch, decodeRun } from './json-codec.ts';
import { decodeMultipart } from './multipart-codec.ts';
import type { Operations } from './run-operation.ts';
import type { Reading } from './sent-json-codec.ts';

type IngestHandlers = Pick<
  Handlers<typeof observability>,
  'ingestMultipart' | 'ingestBatch' | 'createRun' | 'patchRun'
>;

/** Bodies in memory at once, from their first byte until they are committed. */
const MAX_HELD_BYTES = 268_435_456;
/** Of one workspace. */
const MAX_WORKSPACE_BYTES = 134_217_728;

/** Every dialect of ingestion: decode all of the request, commit all of it, answer. */
export function ingestHandlers(queue: IngestQueue, disk: DiskGuard): IngestHandlers {
  const gate = new ByteGate(MAX_HELD_BYTES);
  const budget = new ByteBudget(MAX_WORKSPACE_BYTES);
  const take = async (
    { request, workspace_id }: { readonly request: Request; readonly workspace_id: string },
    decode: (body: Buffer, reading: Reading) => Promise<Operations>,
  ) => {
    await disk.requireSpace();
    using body = await readDecoded(request, { gate, held: budget.open(workspace_id) });
    const faults = new Faults();
    const operations = await decode(body.bytes, { slice: new TimeSlice(), faults });
    refuseNothing(operations, faults);
    const { full_traces } = await queue.add({ workspace_id, ...operations });
    if (full_traces.length > 0) throw fullTraces(full_traces);
    return faults.answer;
  };
  return {
    ingestMultipart: async (call) =>
      take(call, (body, reading) =>
        decodeMultipart(body, { ...reading, content_type: call.request.headers.get('content-type') }),
      ),
    ingestBatch: async (call) => take(call, decodeBatch),
    createRun: async (call) => take(call, decodeRun),
    patchRun: async (call) =>
      take(call, (body, reading) => decodePatch(body, { ...reading, run_id: call.params.run_id })),
  };
}

/** @throws Problem `malformed` where faults have left nothing to store. */
function refuseNothing({ runs, feedback, attachments }: Operations, faults: Faults): void {
  if (runs.length + feedback.length + attachments.length > 0 || faults.issues.length === 0) return;
  throw new Problem('malformed', 'Nothing of the request can be stored.', { issues: faults.issues });
}

/** What else the request held is stored; only the runs of these traces beyond the limit are not. */
function fullTraces(trace_ids: readonly string[]): Problem {
  return new Problem(
    'invalid',
    `A trace holds 25,000 runs at most; more of these were not stored: ${trace_ids.join(', ')}.`,
    { hint: 'The other runs of the request are stored.' },
  );
}
