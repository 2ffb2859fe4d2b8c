import type { EventFilter } from '@roadstead/contracts/agent-server';
import { type EventFrame, eventStream, HEARTBEAT_MS, TimeSlice } from '@roadstead/kit';
import { frameOf } from '../runs/run-frames.ts';
import { QUIET } from '../runs/run-stream.ts';
import { createEventFold } from './event-fold.ts';
import { matches } from './event-filter-rules.ts';
import type { EventStreamFace } from './event-stream-face.ts';
import { findNewestNumbered, findRunAfter, numberRuns, type NumberedRun } from './event-stream-store.ts';
import { numbered, runNumberOf, seqIn } from './protocol-event.ts';

export interface ThreadEvents {
  readonly thread_id: string;
  readonly filter: EventFilter;
}

/**
 * The events of a thread, run after run, until the client leaves. Without `since` they begin with the newest run: who opens a
 * stream when the run has ended already gets all of it.
 */
export function streamThreadEvents(face: EventStreamFace, events: ThreadEvents): Response {
  const gone = new AbortController();
  return eventStream(framesOf(face, { ...events, signal: gone.signal }), {
    heartbeat_ms: face.heartbeat_ms ?? HEARTBEAT_MS,
    heartbeat: QUIET,
    onCancel: () => gone.abort(),
  });
}

interface Following extends ThreadEvents {
  readonly signal: AbortSignal;
}

async function* framesOf(face: EventStreamFace, following: Following): AsyncGenerator<EventFrame> {
  const { thread_id, signal } = following;
  let number = await beginning(face, following);
  while (!signal.aborted) {
    using look = createLook(face, thread_id);
    await numberRuns(face.db, thread_id);
    const run = await findRunAfter(face.db, { thread_id, number });
    if (run === undefined) await look.next(signal);
    else {
      yield* framesOfRun(face, { ...following, run });
      number = run.number;
    }
  }
}

/** The number of the run after which a stream begins: those that wait are still to come. */
async function beginning({ db, runs }: EventStreamFace, { thread_id, filter }: Following): Promise<number> {
  if (typeof filter.since === 'number') return runNumberOf(filter.since) - 1;
  await numberRuns(db, thread_id);
  const newest = await findNewestNumbered(db, thread_id);
  if (newest === undefined) return 0;
  const unfinished = runs.unfinished(thread_id);
  return unfinished.length > 0 && !unfinished.includes(newest.run_id) ? newest.number : newest.number - 1;
}

async function* framesOfRun(
  face: EventStreamFace,
  { run: { run_id, number }, filter, signal }: Following & { readonly run: NumberedRun },
): AsyncGenerator<EventFrame> {
  const run = await face.runs.find(run_id);
  if (run === undefined) return;
  const fold = createEventFold(run.graph_id);
  const slice = new TimeSlice();
  const since = filter.since ?? 0;
  let count = 0;
  for await (const event of face.runs.events(run_id, { after_seq: 0, signal })) {
    for (const told of fold.of(event)) {
      const seq = seqIn(number, ++count);
      if (seq <= since || !matches(filter, told)) continue;
      yield await frameOf({ id: String(seq), event: told.method, data: numbered(told, seq) });
    }
    if (slice.isOver()) await slice.next();
  }
}

/** How often a thread is looked at on which a run waits to begin, and one on which none is. */
const LOOK_MS = 50;
const IDLE_LOOK_MS = 200;

interface Look extends Disposable {
  /** Waits until there may be another run. */
  next(signal: AbortSignal): Promise<void>;
}

/** What is asked of the database only when the engine has had a run on the thread. */
function createLook({ runs }: EventStreamFace, thread_id: string): Look {
  const seen = { ended: false };
  const listening = runs.onEnded(({ run }) => {
    seen.ended ||= run.thread_id === thread_id;
  });
  return {
    async next(signal) {
      while (!signal.aborted && !seen.ended && !runs.isBusy(thread_id)) await pause(IDLE_LOOK_MS, signal);
      if (!seen.ended) await pause(LOOK_MS, signal);
    },
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
