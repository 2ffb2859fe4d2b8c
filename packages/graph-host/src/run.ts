import type { HostEvent, Outcome, RunParams } from '@roadstead/contracts';
import { toHostError } from '@roadstead/contracts/host-peer';
import { createStore } from './item-store.ts';
import type { LoadedGraph } from './load.ts';
import { idOf, isMessage, messagesIn, plainMessage, plainValues, roleOf, textOf } from './messages.ts';
import { createSaver, type HostPeer } from './saver.ts';

export interface RunContext {
  readonly peer: HostPeer;
  readonly signal: AbortSignal;
  readonly emit: (events: readonly HostEvent[]) => void;
}

interface Interrupt {
  readonly id?: string;
  readonly value: unknown;
}

/** Runs one attempt to its end. Never throws: what the graph throws is an outcome. */
export async function runGraph(graph: LoadedGraph, params: RunParams, context: RunContext): Promise<Outcome> {
  try {
    return await stream(graph, params, context);
  } catch (error) {
    if (context.signal.aborted)
      return { outcome: 'cancelled', reason: context.signal.reason === 'drain' ? 'drain' : 'cancel' };
    return { outcome: 'error', error: toHostError(error) };
  }
}

async function stream(
  graph: LoadedGraph,
  params: RunParams,
  { peer, signal, emit }: RunContext,
): Promise<Outcome> {
  /** Messages of before the run: a node that returns its whole history says nothing new by that. */
  const known = new Set<string>();
  const { run_id, attempt, durability, has_checkpoint } = params;
  const checkpointer = createSaver(
    graph.checkpoint,
    peer,
    { run_id, attempt, durability, has_checkpoint },
    (values) => {
      for (const message of messagesIn(values)) known.add(idOf(message));
    },
  );
  const configurable = {
    ...params.configurable,
    thread_id: params.thread_id,
    checkpoint_ns: '',
    assistant_id: params.assistant_id,
    graph_id: params.graph_id,
    run_id,
    // How LangGraph itself hands a checkpointer down; the user's compiled graph stays as it is.
    __pregel_checkpointer: checkpointer,
  };
  const metadata = {
    thread_id: params.thread_id,
    assistant_id: params.assistant_id,
    graph_id: params.graph_id,
    run_id,
    ...params.metadata,
  };
  const compiled = await graph.open({ configurable, metadata });
  const parts = await compiled.stream(inputOf(graph, params), {
    streamMode: params.chunks ? ['updates', 'values', 'messages'] : ['updates', 'values'],
    configurable,
    metadata,
    tags: params.tags,
    durability,
    signal,
    runId: run_id,
    runName: params.graph_id,
    store: createStore(graph.checkpoint, peer),
    ...(params.recursion_limit === undefined ? {} : { recursionLimit: params.recursion_limit }),
  });
  const seen: { values: unknown; interrupts: Interrupt[] } = { values: null, interrupts: [] };
  for await (const part of parts) {
    const [mode, payload] = part as [string, unknown];
    if (mode === 'values') takeValues(payload, seen);
    else if (mode === 'messages') emit(chunkOf(payload as [unknown, Record<string, unknown>], known));
    else emit(updatesOf(payload, known, seen));
  }
  signal.throwIfAborted();
  return {
    outcome: 'success',
    interrupts: openInterrupts(seen.interrupts),
    values: plainValues(seen.values),
  };
}

function inputOf(graph: LoadedGraph, params: RunParams): unknown {
  if (params.resume !== undefined) return new graph.langgraph.Command({ resume: params.resume.value });
  return params.input ?? null;
}

function takeValues(payload: unknown, seen: { values: unknown; interrupts: Interrupt[] }): void {
  if (typeof payload !== 'object' || payload === null) {
    seen.values = payload;
    return;
  }
  const { __interrupt__: interrupts, ...values } = payload as { __interrupt__?: Interrupt[] };
  if (Object.keys(values).length > 0 || interrupts === undefined) seen.values = values;
  if (interrupts !== undefined) seen.interrupts.push(...interrupts);
}

/** What nodes of the top level returned: each whole message once. */
function updatesOf(payload: unknown, known: Set<string>, seen: { interrupts: Interrupt[] }): HostEvent[] {
  const { __interrupt__: interrupts, ...updates } = (payload ?? {}) as { __interrupt__?: Interrupt[] };
  if (Array.isArray(interrupts)) seen.interrupts.push(...interrupts);
  return Object.values(updates as Record<string, unknown>)
    .flatMap((update) => messagesIn(update))
    .flatMap((message): HostEvent[] => {
      const plain = known.has(idOf(message)) ? undefined : plainMessage(message);
      if (plain === undefined) return [];
      known.add(plain.id);
      return [{ kind: 'message', message: plain }];
    });
}

/** A piece of an AI message of the top level; subgraphs and silenced models say nothing. */
function chunkOf(
  [message, metadata]: [unknown, Record<string, unknown>],
  known: ReadonlySet<string>,
): HostEvent[] {
  if (!isMessage(message) || roleOf(message) !== 'assistant' || known.has(idOf(message))) return [];
  const namespace = (metadata['langgraph_checkpoint_ns'] ?? metadata['checkpoint_ns'] ?? '') as string;
  const tags = (metadata['tags'] ?? []) as readonly string[];
  if (namespace.includes('|') || tags.some((tag) => tag === 'nostream' || tag === 'langsmith:nostream'))
    return [];
  const text = textOf(message.content);
  return text === '' ? [] : [{ kind: 'chunk', message_id: idOf(message), text }];
}

/** Each interrupt once, with a value that JSON can hold. */
function openInterrupts(interrupts: readonly Interrupt[]): { id: string; value: unknown }[] {
  const byId = new Map(interrupts.map((one, at) => [one.id ?? String(at), one]));
  return [...byId].map(([id, one]) => ({ id, value: plainValues(one.value) }));
}
