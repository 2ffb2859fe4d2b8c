import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { agentAt } from '../../api/clients.ts';
import { type ChatMessage } from '../../words/chat-message-rules.ts';
import { isObject } from '../../words/object-rules.ts';
import { activeRunQuery, stateQuery, threadQuery } from './agent-queries.ts';
import { joinRun, type RunRequest, startRun, stopRun, tellFault, useRunView } from './run-sessions.ts';
import { checkpointBefore } from './steps-rules.ts';
import { interruptsOf } from './breakpoint-rules.ts';
import { useTalk } from './talk-address.ts';
import { useOnce } from './use-once.ts';

/** How far back a message is looked for, to be said anew. */
const MOST_STATES = 200;

/** A thread with its run: what it shows, and what one can make it do. */
export function useConversation(assistant_id: string | undefined) {
  const { slug, search, show } = useTalk();
  const { thread: thread_id, checkpoint } = search;
  const view = useRunView(slug, thread_id);
  const isThread = thread_id !== undefined;
  const of = { thread_id: thread_id ?? '', checkpoint_id: checkpoint };
  const thread = useQuery({ ...threadQuery(slug, of.thread_id), enabled: isThread });
  const active = useQuery({ ...activeRunQuery(slug, of.thread_id), enabled: isThread && view === undefined });
  // A run that ends between two answers is missed by neither: the state is asked once it is known that none goes on.
  const isKnown = view !== undefined || active.isFetched;
  const state = useQuery({ ...stateQuery(slug, of), enabled: isThread && isKnown });
  const active_id = view === undefined ? active.data : undefined;
  useEffect(() => {
    if (typeof active_id === 'string' && thread_id !== undefined)
      joinRun({ slug, thread_id }, active_id).catch(tellFault);
  }, [slug, thread_id, active_id]);

  const { isBusy: isStarting, once } = useOnce();
  const run = async (request: Omit<RunRequest, 'assistant_id'>) => {
    if (assistant_id === undefined) return;
    const id = thread_id ?? (await agentAt(slug).createThread({ body: {} })).thread_id;
    if (id !== thread_id || checkpoint !== undefined) show({ thread: id, checkpoint: undefined });
    await startRun(
      { slug, thread_id: id },
      { assistant_id, ...interruptsOf(search.breakpoints), ...request },
    );
  };
  /** Runs from the state before a message, with another input or the same. */
  const runBefore = async ({ id }: ChatMessage, input?: unknown) => {
    if (thread_id === undefined || id === undefined) return;
    const states = await agentAt(slug).searchThreadStates({
      params: { thread_id },
      body: { limit: MOST_STATES },
    });
    const checkpoint_id = checkpointBefore(states, id);
    if (checkpoint_id === undefined) throw new Error('No step before this message was found.');
    await run({ input, checkpoint_id });
  };
  return {
    thread,
    state,
    view,
    /** Whether a run is about to start, though nothing of it is there yet. */
    isStarting,
    /** Resolves once the agent has taken the input. */
    send: (input: unknown) => once(() => run({ input, checkpoint_id: checkpoint })),
    resume: (answer: unknown) =>
      void once(() => run({ command: { resume: answer }, checkpoint_id: checkpoint })).catch(tellFault),
    goOn: (checkpoint_id?: string) => void once(() => run({ checkpoint_id })).catch(tellFault),
    runAgain: (message: ChatMessage) => void once(() => runBefore(message)).catch(tellFault),
    sayAnew: (message: ChatMessage, content: string) =>
      once(() => runBefore(message, { messages: [editedMessage(message, content)] })),
    stop: () => {
      if (thread_id !== undefined) stopRun({ slug, thread_id }).catch(tellFault);
    },
  };
}

/** Pictures and files of a message stay when its words change. */
function editedMessage({ raw }: ChatMessage, text: string): unknown {
  const content = isObject(raw) ? raw['content'] : undefined;
  const rest = Array.isArray(content)
    ? content.filter((block) => !isObject(block) || block['type'] !== 'text')
    : [];
  return {
    type: 'human',
    id: crypto.randomUUID(),
    content: rest.length === 0 ? text : [{ type: 'text', text }, ...rest],
  };
}
