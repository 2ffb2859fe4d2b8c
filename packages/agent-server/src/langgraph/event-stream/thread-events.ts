import type { EventFilter } from '@roadstead/contracts/agent-server';
import { type EventFrame, eventStream, HEARTBEAT_MS, TimeSlice } from '@roadstead/kit';
import { frameOf } from '../runs/run-frames.ts';
import { brokenOff, QUIET } from '../runs/run-stream.ts';
import { createEventFold } from './event-fold.ts';
import { matches } from './event-filter-rules.ts';
import type { EventStreamFace } from './event-stream-face.ts';
import { findNewestNumbered, findRunAfter, numberRuns, type NumberedRun } from './event-stream-store.ts';
import { numbered, runNumberOf, seqIn, type ToldEvent } from './protocol-event.ts';

export interface ThreadEvents {
  readonly thread_id: string;
  readonly filter: EventFilter;
}

/** An event, and its number on its thread. */
export interface NumberedEvent {
  readonly told: ToldEvent;
  readonly seq: number;
}

/** The events of a thread as Server-Sent Events, until the client leaves. */
export function streamThreadEvents(face: EventStreamFace, { thread_id, filter }: ThreadEvents): Response {
  const gone = new AbortController();
  const frames = async function* (): AsyncGenerator<EventFrame> {
    const after = filter.since ?? (await beginningOf(face, thread_id));
    const wants = ({ told }: NumberedEvent) => matches(filter, told);
    const signal = AbortSignal.any([gone.signal, face.runs.over]);
    for await (const { told, seq } of eventsOf(face, { thread_id, after, wants, signal }))
      yield await frameOf({ id: String(seq), event: told.method, data: numbered(told, seq) });
  };
  return eventStream(frames(), {
    heartbeat_ms: face.heartbeat_ms ?? HEARTBEAT_MS,
    heartbeat: QUIET,
    onCancel: () => gone.abort(),
  });
}

export interface Following {
  readonly thread_id: string;
  /** The `seq` after which they begin. */
  readonly after: number;
  readonly wants: (event: NumberedEvent) => boolean;
  readonly signal: AbortSignal;
}

/** The events of a thread that are wanted, run after run, until the signal is aborted. */
export async function* eventsOf(
  face: EventStreamFace,
  following: Following,
): AsyncGenerator<NumberedEvent, void, void> {
  const { thread_id, after, signal } = following;
  let number = runNumberOf(after) - 1;
  while (!signal.aborted) {
    using look = createLook(face, thread_id);
    await numberRuns(face.db, thread_id);
    const run = await findRunAfter(face.db, { thread_id, number });
    if (run === undefined) await look.next(signal);
    else {
      yield* eventsOfRun(face, { ...following, run });
      number = run.number;
    }
  }
  if (face.runs.over.aborted) throw brokenOff();
}

/**
 * The `seq` after which a stream begins that asks for nothing else: that of the newest run, so that who opens one when the
 * run has ended gets all of it. Those that wait are still to come.
 */
export async function beginningOf({ db, runs }: EventStreamFace, thread_id: string): Promise<number> {
  await numberRuns(db, thread_id);
  const newest = await findNewestNumbered(db, thread_id);
  if (newest === undefined) return seqIn(1, 0);
  const unfinished = runs.unfinished(thread_id);
  const isOver = unfinished.length > 0 && !unfinished.includes(newest.run_id);
  return seqIn(isOver ? newest.number + 1 : newest.number, 0);
}

async function* eventsOfRun(
  face: EventStreamFace,
  { run: { run_id, number }, after, wants, signal }: Following & { readonly run: NumberedRun },
): AsyncGenerator<NumberedEvent, void, void> {
  const run = await face.runs.find(run_id);
  if (run === undefined) return;
  const fold = createEventFold(run.graph_id);
  const slice = new TimeSlice();
  let count = 0;
  for await (const event of face.runs.events(run_id, { after_seq: 0, signal })) {
    for (const told of fold.of(event)) {
      const seq = seqIn(number, ++count);
      if (seq > after && wants({ told, seq })) yield { told, seq };
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

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
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
