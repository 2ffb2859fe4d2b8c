import { agentPath } from '../../words/agent-address.ts';
import { useCallback, useSyncExternalStore } from 'react';
import { threadChanged } from '../../api/agent-threads.ts';
import { agentAt } from '../../api/clients.ts';
import { queryClient } from '../../api/query-client.ts';
import { eventsOf } from '../../api/server-sent-events.ts';
import { say } from '../../ui/toasts.tsx';
import { isMessage, messagesIn } from '../../words/chat-message-rules.ts';
import { activeRunQuery } from './agent-queries.ts';
import { pauseBefore, runIn } from './follow-rules.ts';
import { newRunView, type RunView, withEvent } from './run-view-rules.ts';

/**
 * Runs that this page follows, by thread. A run goes on while nobody looks, but its stream is left: a browser has only
 * a few connections. Who comes back, or loads the page anew, joins the run again.
 */

interface ThreadAddress {
  readonly slug: string;
  readonly thread_id: string;
}

const views = new Map<string, RunView>();
const listeners = new Set<() => void>();
const keyOf = ({ slug, thread_id }: ThreadAddress) => `${slug}/${thread_id}`;

let isTelling = false;
/** Tells of changes once a frame: tokens come faster than anybody reads. */
function tell(): void {
  if (isTelling) return;
  isTelling = true;
  setTimeout(() => {
    isTelling = false;
    for (const listener of listeners) listener();
  }, FRAME_MS);
}
const FRAME_MS = 40;

function change(key: string, view: RunView | undefined): void {
  if (view === undefined) views.delete(key);
  else views.set(key, view);
  tell();
}

/** How many look at a thread, and how the stream of its run is left. */
const lookers = new Map<string, number>();
const streams = new Map<string, AbortController>();
/** Who only turns to another page for a moment stays. */
const LEAVE_MS = 2000;

function leaveUnseen(key: string): void {
  setTimeout(() => {
    if ((lookers.get(key) ?? 0) === 0) streams.get(key)?.abort();
  }, LEAVE_MS);
}

function look(key: string | undefined, listener: () => void): () => void {
  listeners.add(listener);
  const count = (more: number) => key !== undefined && lookers.set(key, (lookers.get(key) ?? 0) + more);
  count(1);
  return () => {
    listeners.delete(listener);
    count(-1);
    if (key !== undefined) leaveUnseen(key);
  };
}

/** The run that a thread has now, as far as it came. */
export function useRunView(slug: string, thread_id: string | undefined): RunView | undefined {
  const key = thread_id === undefined ? undefined : keyOf({ slug, thread_id });
  const subscribe = useCallback((listener: () => void) => look(key, listener), [key]);
  return useSyncExternalStore(subscribe, () => (key === undefined ? undefined : views.get(key)));
}

const MODES = ['messages-tuple', 'values', 'tasks'] as const;

export interface RunRequest {
  readonly assistant_id: string;
  readonly input?: unknown;
  readonly command?: { readonly resume: unknown };
  readonly checkpoint_id?: string | undefined;
  readonly interrupt_before?: readonly string[];
  readonly interrupt_after?: readonly string[];
}

/**
 * Starts a run, and follows it once the server has accepted it. The person's own words are shown before the server has
 * told of them.
 */
export function startRun(address: ThreadAddress, request: RunRequest): Promise<void> {
  const body = {
    ...request,
    input: request.input ?? null,
    stream_mode: MODES,
    stream_subgraphs: true,
    stream_resumable: true,
    on_disconnect: 'continue',
    multitask_strategy: 'enqueue',
  };
  const path = agentPath(address.slug, 'threads', address.thread_id, 'runs', 'stream');
  const streamed = (messagesIn(request.input) ?? []).filter((message) => isMessage(message));
  change(keyOf(address), { ...newRunView, streamed });
  return new Promise((accept, refuse) => {
    let onFault = refuse;
    const onOpen = () => {
      onFault = tellFault;
      accept();
    };
    follow(address, { path, method: 'POST', body, onOpen }).catch((error: unknown) => onFault(error));
  });
}

export const tellFault = (error: unknown): void =>
  say({ kind: 'error', text: error instanceof Error ? error.message : String(error) });

/** Follows a run that is on its way, from its beginning. */
export async function joinRun(address: ThreadAddress, run_id: string): Promise<void> {
  if (views.has(keyOf(address))) return;
  change(keyOf(address), { ...newRunView, run_id });
  await follow(address, { path: joinPath(address, run_id), method: 'GET' });
}

const joinPath = ({ slug, thread_id }: ThreadAddress, run_id: string) =>
  agentPath(slug, 'threads', thread_id, 'runs', run_id, 'stream');

export async function stopRun(address: ThreadAddress): Promise<void> {
  const { slug, thread_id } = address;
  const key = keyOf(address);
  const view = views.get(key);
  if (view?.run_id === undefined) return;
  const { run_id } = view;
  change(key, { ...view, phase: 'stopping' });
  try {
    await agentAt(slug).cancelThreadRun({ params: { thread_id, run_id }, query: { wait: 'true' } });
  } catch (error) {
    // It can be stopped again, unless it has ended meanwhile.
    const now = views.get(key);
    if (now?.run_id === run_id && now.phase === 'stopping') change(key, { ...now, phase: 'running' });
    throw error;
  }
}

interface Source {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly body?: unknown;
  readonly onOpen?: () => void;
}

async function follow(address: ThreadAddress, first: Source): Promise<void> {
  const key = keyOf(address);
  const stream = new AbortController();
  try {
    await readAll(address, { first, stream });
  } catch (error) {
    const isLeft = stream.signal.aborted;
    if (!isLeft) void threadChanged(address.slug, address.thread_id);
    await forget(address);
    if (!isLeft) throw error;
    // Who comes back asks at once whether it still goes on.
    await queryClient.invalidateQueries(activeRunQuery(address.slug, address.thread_id));
    return;
  } finally {
    if (streams.get(key) === stream) streams.delete(key);
  }
  const view = views.get(key) ?? newRunView;
  change(key, { ...view, phase: 'ended' });
  // What was streamed stays in sight until the state that the run left is there.
  await threadChanged(address.slug, address.thread_id);
  if (views.get(key)?.run_id === view.run_id) await forget(address);
}

interface RunStream {
  readonly first: Source;
  readonly stream: AbortController;
}

/** Reads a run to its end; a broken connection is taken up again after a pause. */
async function readAll(address: ThreadAddress, { first, stream }: RunStream): Promise<void> {
  const key = keyOf(address);
  const { signal } = stream;
  const viewNow = () => views.get(key) ?? newRunView;
  const onOpen = (answer: Response) => {
    const view = viewNow();
    change(key, { ...view, run_id: view.run_id ?? runIn(answer.headers.get('content-location')) });
    streams.set(key, stream);
    leaveUnseen(key);
    first.onOpen?.();
  };
  let source = first;
  for (let tries = 0; ; tries += 1) {
    const { last_event_id } = viewNow();
    try {
      const { path, method, body } = source;
      for await (const event of eventsOf(path, { method, body, signal, last_event_id, onOpen }))
        change(key, withEvent(viewNow(), event));
      return;
    } catch (error) {
      const { run_id, last_event_id: seen } = viewNow();
      if (seen !== last_event_id) tries = 0;
      const pause = signal.aborted ? undefined : pauseBefore(tries, error);
      if (run_id === undefined || pause === undefined) throw error;
      source = { path: joinPath(address, run_id), method: 'GET' };
      await passed(pause, signal);
    }
  }
}

/** Lets go of a run; that it is on its way is asked anew, lest one that has ended is joined again. */
async function forget({ slug, thread_id }: ThreadAddress): Promise<void> {
  const { queryKey } = activeRunQuery(slug, thread_id);
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, null);
  change(keyOf({ slug, thread_id }), undefined);
}

const passed = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done, fail) => {
    setTimeout(done, ms);
    signal.addEventListener('abort', () => fail(signal.reason as Error), { once: true });
  });
