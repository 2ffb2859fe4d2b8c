import type { ThreadStreamMode } from '@roadstead/contracts/agent-server';
import { type EventFrame, eventStream, HEARTBEAT_MS } from '@roadstead/http';
import { isUuid } from '@roadstead/kit';
import type { Reader, RunEvent } from '../../runs/run.ts';
import type { RunFace } from './run-face.ts';
import { frameOf, type NamedEvent, showEvent } from './run-frames.ts';
import { findNewestNumbered, findNextRun, findNumberOf, numberRuns } from './run-numbers-store.ts';
import { findStateTime } from './run-store.ts';
import { brokenOff, QUIET } from './run-stream.ts';
import { readValues } from './thread-values.ts';

export interface ThreadStreamOptions {
  readonly thread_id: string;
  readonly modes: readonly ThreadStreamMode[];
  /** The event to continue from; null: from the present run; `-`: from the thread's first run. */
  readonly last_event_id: string | null;
}

/** Streams the events of a thread, one run after the other as they begin, until the client leaves. */
export function streamThread(face: RunFace, options: ThreadStreamOptions): Response {
  const gone = new AbortController();
  const behind = new AbortController();
  const reader = { signal: gone.signal, onBehind: () => behind.abort() };
  return eventStream(framesOf(face, { ...options, reader }), {
    heartbeat_ms: face.heartbeat_ms ?? HEARTBEAT_MS,
    heartbeat: QUIET,
    headers: { location: `/threads/${options.thread_id}/stream` },
    behind: behind.signal,
    onCancel: () => gone.abort(),
  });
}

interface ThreadStreamReading extends ThreadStreamOptions {
  readonly reader: Reader;
}

async function* framesOf(face: RunFace, following: ThreadStreamReading): AsyncGenerator<EventFrame> {
  const { thread_id, modes, reader } = following;
  const { db, runs } = face;
  // Watched first, read second: a change in between is seen by one of them.
  using watch = runs.watch(thread_id, reader.signal);
  let place = await positionOf(face, following);
  let state_at = await findStateTime(db, thread_id);
  do {
    for (let run; (run = await findNextRun(db, { thread_id, number: place.number })) !== undefined;) {
      const { run_id } = run;
      const after_seq = run_id === place.within?.run_id ? place.within.seq : 0;
      for await (const event of runs.events(run_id, { ...reader, after_seq }))
        for (const shown of showOnThread(event, { run_id, modes })) yield await frameOf(shown);
      place = run;
    }
    const changed_at = modes.includes('state_update') ? await findStateTime(db, thread_id) : state_at;
    if (changed_at !== state_at) {
      state_at = changed_at;
      yield await frameOf(await stateUpdate(face, { thread_id, id: `${place.run_id}:` }));
    }
  } while (await watch.next());
  if (!reader.signal.aborted) throw brokenOff();
}

/** The position in a thread: after a run, or after an event of the next one. */
interface ThreadPosition {
  readonly number: number;
  /** The run as clients name it. */
  readonly run_id: string;
  readonly within?: { readonly run_id: string; readonly seq: number };
}
const BEGINNING: ThreadPosition = { number: 0, run_id: '00000000-0000-0000-0000-000000000000' };

async function positionOf(
  { db, runs }: RunFace,
  { thread_id, last_event_id }: ThreadStreamReading,
): Promise<ThreadPosition> {
  await numberRuns(db, thread_id);
  if (last_event_id !== null) {
    const [run_id = '', seq = ''] = last_event_id.split(':');
    const number = isUuid(run_id) ? await findNumberOf(db, { thread_id, run_id }) : undefined;
    if (number === undefined) return BEGINNING;
    if (!/^\d{1,9}$/.test(seq)) return { number, run_id };
    return { number: number - 1, run_id, within: { run_id, seq: Number(seq) } };
  }
  const newest = await findNewestNumbered(db, thread_id);
  if (newest === undefined) return BEGINNING;
  const is_underway = runs.unfinished(thread_id).includes(newest.run_id);
  return { ...newest, number: is_underway ? newest.number - 1 : newest.number };
}

interface ThreadFrameOptions {
  readonly run_id: string;
  readonly modes: readonly ThreadStreamMode[];
}

function showOnThread(event: RunEvent, { run_id, modes }: ThreadFrameOptions): NamedEvent[] {
  const id = `${run_id}:${event.seq}`;
  const marks = event.kind === 'started' || event.kind === 'end';
  if (!modes.includes('run_modes') && !(marks && modes.includes('lifecycle'))) return [];
  const shown = showEvent(event, { run_id });
  return [
    ...(shown === undefined ? [] : [{ ...shown, id }]),
    ...(event.kind === 'end' ? [{ id, event: 'metadata', data: { status: 'run_done', run_id } }] : []),
  ];
}

async function stateUpdate(
  face: RunFace,
  { thread_id, id }: { readonly thread_id: string; readonly id: string },
): Promise<NamedEvent> {
  return {
    id,
    event: 'state_update',
    data: { thread_id, state: { values: await readValues(face, thread_id) } },
  };
}
