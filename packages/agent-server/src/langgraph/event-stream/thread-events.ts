import type { EventFilter } from '@roadstead/contracts/agent-server';
import { type EventFrame, eventStream, HEARTBEAT_MS } from '@roadstead/http';
import { TimeSlice } from '@roadstead/kit';
import type { Reader } from '../../runs/run.ts';
import { frameOf } from '../runs/run-frames.ts';
import { findLastBegun, findNextRun, type NumberedRun, numberRuns } from '../runs/run-numbers-store.ts';
import { brokenOff, QUIET } from '../runs/run-stream.ts';
import { createEventFold } from './event-fold.ts';
import { matches } from './event-filter-rules.ts';
import type { EventStreamFace } from './event-stream-face.ts';
import { numbered, runNumberOf, seqIn, type UnnumberedEvent } from './protocol-event.ts';

export interface ThreadEvents {
  readonly thread_id: string;
  readonly filter: EventFilter;
}

/** An event, and its number on its thread. */
export interface NumberedEvent {
  readonly told: UnnumberedEvent;
  readonly seq: number;
}

/** The events of a thread as Server-Sent Events, until the client leaves. */
export function streamThreadEvents(face: EventStreamFace, { thread_id, filter }: ThreadEvents): Response {
  const gone = new AbortController();
  const behind = new AbortController();
  const reader = { signal: gone.signal, onBehind: () => behind.abort() };
  const frames = async function* (): AsyncGenerator<EventFrame> {
    const after = filter.since ?? (await beginningOf(face, thread_id));
    const wants = ({ told }: NumberedEvent) => matches(filter, told);
    for await (const { told, seq } of eventsOf(face, { thread_id, after, wants, reader }))
      yield await frameOf({ id: String(seq), event: told.method, data: numbered(told, seq) });
  };
  return eventStream(frames(), {
    heartbeat_ms: face.heartbeat_ms ?? HEARTBEAT_MS,
    heartbeat: QUIET,
    behind: behind.signal,
    onCancel: () => gone.abort(),
  });
}

export interface ThreadReading {
  readonly thread_id: string;
  /** The `seq` after which they begin. */
  readonly after: number;
  readonly wants: (event: NumberedEvent) => boolean;
  readonly reader: Reader;
}

/**
 * The wanted events of a thread, run after run as they begin, until their reader leaves.
 * @throws Problem `unavailable` where the engine is over, or the reader is too far behind
 */
export async function* eventsOf(
  face: EventStreamFace,
  following: ThreadReading,
): AsyncGenerator<NumberedEvent, void, void> {
  const { thread_id, after, reader } = following;
  // Watched first, read second: a change in between is seen by one of them.
  using watch = face.runs.watch(thread_id, reader.signal);
  let number = runNumberOf(after) - 1;
  do {
    for (let run; (run = await findNextRun(face.db, { thread_id, number })) !== undefined;) {
      yield* eventsOfRun(face, { ...following, run });
      ({ number } = run);
    }
  } while (await watch.next());
  if (!reader.signal.aborted) throw brokenOff();
}

/**
 * The `seq` after which a stream without `since` begins: that of the run under way, or of the newest one that was
 * streamed, so that a client that opens it when the run has ended gets all of it. Waiting runs are still to come. It
 * cannot be that of an earlier run, nor of one that was only waited for, since the official client takes the end of any
 * run for that of its own: a client that was away for longer sends `since`.
 */
export async function beginningOf({ db, runs }: EventStreamFace, thread_id: string): Promise<number> {
  // Read first: a run that begins and ends meanwhile is one of these, and the stream begins with it.
  const unfinished = runs.unfinished(thread_id);
  await numberRuns(db, thread_id);
  const last = await findLastBegun(db, { thread_id, unfinished });
  if (last === undefined) return seqIn(1, 0);
  const is_replayed = last.is_unfinished || (last.is_streamed && unfinished.length === 0);
  return seqIn(is_replayed ? last.number : last.number + 1, 0);
}

async function* eventsOfRun(
  face: EventStreamFace,
  { run: { run_id, number }, after, wants, reader }: ThreadReading & { readonly run: NumberedRun },
): AsyncGenerator<NumberedEvent, void, void> {
  const run = await face.runs.find(run_id);
  if (run === undefined) return;
  const fold = createEventFold(run.graph_id);
  const slice = new TimeSlice();
  let count = 0;
  for await (const event of face.runs.events(run_id, { ...reader, after_seq: 0 })) {
    for (const told of fold.of(event)) {
      const seq = seqIn(number, ++count);
      if (seq > after && wants({ told, seq })) yield { told, seq };
    }
    if (slice.isOver()) await slice.next();
  }
}
