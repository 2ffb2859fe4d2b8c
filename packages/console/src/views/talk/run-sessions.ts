import { agentPath } from '../../words/agent-address.ts';
import { ApiError } from '@roadstead/contracts/client';
import { useSyncExternalStore } from 'react';
import { threadChanged } from '../../api/agent-threads.ts';
import { agentAt } from '../../api/clients.ts';
import { eventsOf } from '../../api/server-sent-events.ts';
import { isMessage, messagesIn } from '../../words/chat-message-rules.ts';
import { newRunView, type RunView, withEvent } from './run-view-rules.ts';

/**
 * Runs that this page follows, by thread. They go on while one looks at something else; who comes back, or loads the
 * page anew, joins them again.
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

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The run that a thread has now, as far as it came. */
export const useRunView = (slug: string, thread_id: string | undefined): RunView | undefined =>
  useSyncExternalStore(subscribe, () =>
    thread_id === undefined ? undefined : views.get(keyOf({ slug, thread_id })),
  );

const MODES = ['messages-tuple', 'values', 'updates', 'tasks'] as const;

export interface RunRequest {
  readonly assistant_id: string;
  readonly input?: unknown;
  readonly command?: { readonly resume: unknown };
  readonly checkpoint_id?: string | undefined;
}

/** Starts a run and follows it to its end. The person's own words are shown before the server has told of them. */
export async function startRun(address: ThreadAddress, request: RunRequest): Promise<void> {
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
  await follow(address, { path, method: 'POST', body });
}

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
  change(key, { ...view, phase: 'stopping' });
  await agentAt(slug).cancelThreadRun({
    params: { thread_id, run_id: view.run_id },
    query: { wait: 'true' },
  });
}

interface Source {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly body?: unknown;
}

/** How often a broken connection is taken up again. */
const TRIES = 5;

async function follow(address: ThreadAddress, first: Source): Promise<void> {
  const key = keyOf(address);
  const signal = new AbortController().signal;
  let source = first;
  for (let tries = 0; ; tries += 1) {
    try {
      const { path, ...options } = source;
      const last_event_id = views.get(key)?.last_event_id;
      for await (const event of eventsOf(path, { ...options, signal, last_event_id }))
        change(key, withEvent(views.get(key) ?? newRunView, event));
      break;
    } catch (error) {
      const run_id = views.get(key)?.run_id;
      if (run_id === undefined || error instanceof ApiError || tries >= TRIES) {
        change(key, undefined);
        await threadChanged(address.slug, address.thread_id);
        throw error;
      }
      source = { path: joinPath(address, run_id), method: 'GET' };
    }
  }
  const view = views.get(key) ?? newRunView;
  change(key, { ...view, phase: 'ended' });
  // What was streamed stays in sight until the state that the run left is there.
  await threadChanged(address.slug, address.thread_id);
  if (views.get(key)?.run_id === view.run_id) change(key, undefined);
}
