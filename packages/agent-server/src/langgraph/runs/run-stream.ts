import type { StreamMode } from '@roadstead/contracts/host';
import { type EventFrame, eventStream, HEARTBEAT_MS } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { cancelReasons } from '../../runs/cancel-reasons.ts';
import type { Run, RunEvent } from '../../runs/run.ts';
import type { RunFace } from './run-face.ts';
import { runHeaders } from './run-addresses.ts';
import { frameOf, showEvent } from './run-frames.ts';

/** A comment without an empty line, which the JavaScript SDK takes for an event once it has seen an id. */
export const QUIET = ': keep-alive\n';

export interface RunStream {
  readonly run: Run;
  /** Events after this one. */
  readonly after_seq: number;
  readonly modes?: readonly StreamMode[] | undefined;
  readonly cancel_on_disconnect: boolean;
}

/**
 * Streams the events of a run to its end. A stream that has to end before the run breaks off, so that its client comes
 * back.
 */
export function streamRun(face: RunFace, stream: RunStream): Response {
  const { run, after_seq, cancel_on_disconnect } = stream;
  const gone = new AbortController();
  const behind = new AbortController();
  const reader = { signal: gone.signal, onBehind: () => behind.abort() };
  const events = face.runs.events(run.run_id, { ...reader, after_seq });
  return eventStream(framesOf(face, events, stream), {
    heartbeat_ms: face.heartbeat_ms ?? HEARTBEAT_MS,
    heartbeat: QUIET,
    headers: runHeaders(run, 'stream'),
    behind: behind.signal,
    onCancel: () => {
      gone.abort();
      if (cancel_on_disconnect) void cancelForgotten(face, run.run_id);
    },
  });
}

// oxlint-disable-next-line roadstead/two-positional -- where, what and for whom
async function* framesOf(
  { runs }: RunFace,
  events: AsyncIterable<RunEvent>,
  { run: { run_id }, modes }: RunStream,
): AsyncGenerator<EventFrame> {
  for await (const event of events) {
    const shown = showEvent(event, { run_id, modes });
    if (shown !== undefined) yield await frameOf(shown);
    if (event.kind === 'end') return;
  }
  const run = await runs.find(run_id);
  if (run?.status === 'pending' || run?.status === 'running') throw brokenOff();
}

/** The problem that makes a reader come back. */
export const brokenOff = () => new Problem('unavailable', 'The stream ended before its run.');

/** Cancels a run whose client has gone; it may have ended meanwhile. */
export async function cancelForgotten({ runs }: RunFace, run_id: string): Promise<void> {
  await runs.cancel(run_id, { action: 'interrupt', reason: cancelReasons.disconnected }).catch(() => false);
}

/** Reads the header `Last-Event-ID`: everything without one, or where it is no number of ours (`-1`, `-`). */
export function seqOf(last_event_id: string | null): number {
  return /^\d{1,9}$/.test(last_event_id ?? '') ? Number(last_event_id) : 0;
}
