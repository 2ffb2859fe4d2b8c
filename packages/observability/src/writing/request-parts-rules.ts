import type { IngestRequest } from './flush-work.ts';
import { payloadKinds, type RunOperation } from '../records/run-operation.ts';

/**
 * Splits a large request into parts that are committed one after the other, so that neither a transaction nor its
 * preparation takes long. The parts of a run are merged in whatever order they come.
 */

const MAX_RUNS = 200;
const MAX_BYTES = 8_388_608;

export function partsOfRequest(request: IngestRequest): IngestRequest[] {
  const { workspace_id, feedback, attachments } = request;
  const runs = request.runs.flatMap(withoutLargePayloads);
  const is_short = [runs, feedback, attachments].every((some) => some.length <= MAX_RUNS);
  if (is_short && bytesOfRuns(runs) <= MAX_BYTES) return [{ ...request, runs }];
  const nothing = { workspace_id, runs: [], feedback: [], attachments: [] };
  return [
    ...chunks(runs, bytesOfRun).map((some) => ({ ...nothing, runs: some })),
    ...chunks(feedback, (one) => one.bytes).map((some) => ({ ...nothing, feedback: some })),
    ...chunks(attachments, () => 0).map((some) => ({ ...nothing, attachments: some })),
  ];
}

/** A run, and separately those of its payloads that would be too large together. */
function withoutLargePayloads(run: RunOperation): RunOperation[] {
  if (bytesOfRun(run) <= MAX_BYTES) return [run];
  const { trace_id, dotted_order, parent_run_id } = run.fields;
  const place = {
    ...(trace_id === undefined ? {} : { trace_id }),
    ...(dotted_order === undefined ? {} : { dotted_order }),
    ...(parent_run_id === undefined ? {} : { parent_run_id }),
  };
  const payloads = payloadKinds.flatMap((kind) => {
    const payload = run.payloads[kind];
    return payload === undefined ? [] : [{ [kind]: payload }];
  });
  const aside = payloads.map((payload) => ({ ...run, has_main: false, fields: place, payloads: payload }));
  return [{ ...run, payloads: {} }, ...aside];
}

export const bytesOfRun = (run: RunOperation): number =>
  Object.values(run.payloads).reduce((sum, payload) => sum + payload.length, 0);

const bytesOfRuns = (runs: readonly RunOperation[]) => runs.reduce((sum, run) => sum + bytesOfRun(run), 0);

function chunks<T>(items: readonly T[], bytesOf: (item: T) => number): T[][] {
  const found: T[][] = [];
  let room = 0;
  for (const item of items) {
    const last = found.at(-1);
    const bytes = bytesOf(item);
    if (last === undefined || last.length === MAX_RUNS || bytes > room) {
      found.push([item]);
      room = MAX_BYTES - bytes;
    } else {
      last.push(item);
      room -= bytes;
    }
  }
  return found;
}
