import type { ThreadStreamMode } from '@roadstead/contracts/agent-server';
import { type EventFrame, eventStream, HEARTBEAT_MS, isUuid } from '@roadstead/kit';
import type { RunEvent } from '../../runs/run.ts';
import type { RunFace } from './run-face.ts';
import { frameOf, type NamedEvent, showEvent } from './run-frames.ts';
import { findNewestRun, findNextRun, findStateTime } from './run-store.ts';
import { brokenOff, QUIET } from './run-stream.ts';
import { readValues } from './thread-values.ts';

/** How long a quiet thread is left before it is looked at again. */
const LOOK_MS = 500;

export interface ThreadStreamOptions {
  readonly thread_id: string;
  readonly modes: readonly ThreadStreamMode[];
  /** Null: from what runs now; `-`: from the thread's first run. */
  readonly last_event_id: string | null;
}

/** What happens on a thread, one run after the other, until the client leaves. */
export function streamThread(face: RunFace, options: ThreadStreamOptions): Response {
  const gone = new AbortController();
  return eventStream(framesOf(face, { ...options, signal: AbortSignal.any([gone.signal, face.runs.over]) }), {
    heartbeat_ms: face.heartbeat_ms ?? HEARTBEAT_MS,
    heartbeat: QUIET,
    headers: { location: `/threads/${options.thread_id}/stream` },
    onCancel: () => gone.abort(),
  });
}

interface Following extends ThreadStreamOptions {
  readonly signal: AbortSignal;
}

async function* framesOf(face: RunFace, following: Following): AsyncGenerator<EventFrame> {
  const { thread_id, modes, signal } = following;
  let place = await placeOf(face, following);
  let state_at = await findStateTime(face.db, thread_id);
  while (!signal.aborted) {
    const next = await findNextRun(face.db, { thread_id, ...place });
    if (next !== undefined) {
      const after_seq = next === place.run_id ? (place.seq ?? 0) : 0;
      for await (const event of face.runs.events(next, { after_seq, signal }))
        for (const shown of showOnThread(event, { run_id: next, modes })) yield await frameOf(shown);
      place = { run_id: next, seq: undefined };
    }
    const changed_at = modes.includes('state_update') ? await findStateTime(face.db, thread_id) : state_at;
    if (changed_at !== state_at) {
      state_at = changed_at;
      yield await frameOf(await stateUpdate(face, { thread_id, id: `${place.run_id}:` }));
    }
    if (next === undefined) await pause(LOOK_MS, signal);
  }
  if (face.runs.over.aborted) throw brokenOff();
}

/** After which run, or within it after which event. */
interface Place {
  readonly run_id: string;
  readonly seq: number | undefined;
}
const BEGINNING: Place = { run_id: '00000000-0000-0000-0000-000000000000', seq: undefined };

async function placeOf({ db, runs }: RunFace, { thread_id, last_event_id }: Following): Promise<Place> {
  if (last_event_id !== null) {
    const [run_id = '', seq = ''] = last_event_id.split(':');
    if (!isUuid(run_id)) return BEGINNING;
    return { run_id, seq: /^\d{1,9}$/.test(seq) ? Number(seq) : undefined };
  }
  const [underWay] = runs.unfinished(thread_id);
  if (underWay !== undefined) return { run_id: underWay, seq: 0 };
  return { run_id: (await findNewestRun(db, thread_id)) ?? BEGINNING.run_id, seq: undefined };
}

interface Shown {
  readonly run_id: string;
  readonly modes: readonly ThreadStreamMode[];
}

function showOnThread(event: RunEvent, { run_id, modes }: Shown): NamedEvent[] {
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
