import type { HostEvent, RunResult, RunParams } from '@roadstead/contracts/host';
import { toHostError } from '@roadstead/contracts/host-peer';
import { createChunkHandler } from './chunk-handler.ts';
import { createStore } from './item-store.ts';
import type { CompiledGraph } from './langgraph-types.ts';
import type { LoadedGraph } from './load.ts';
import { resumption } from './resumption.ts';
import { createRunEvents } from './run-events.ts';
import { createSaver, type EngineSaver, type HostPeer } from './saver.ts';

export interface RunContext {
  readonly peer: HostPeer;
  readonly signal: AbortSignal;
  readonly emit: (events: readonly HostEvent[]) => void;
}

/**
 * Makes what every run needs of the user's LangGraph, so that a version which can't be run fails the start instead of each
 * message.
 */
export function checkRunnable({ graph_id, checkpoint }: LoadedGraph, peer: HostPeer): void {
  try {
    createSaver(checkpoint, peer);
    createStore(checkpoint, peer, { run_id: '', attempt: 0 });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Graph "${graph_id}": its version of @langchain/langgraph can’t be run here: ${why}`, {
      cause,
    });
  }
}

/** Runs one attempt to its end. Never throws: what the graph throws is an outcome. */
export async function runGraph(
  graph: LoadedGraph,
  params: RunParams,
  context: RunContext,
): Promise<RunResult> {
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
): Promise<RunResult> {
  const events = createRunEvents(params);
  const { run_id, attempt, durability, has_checkpoint, goes_on } = params;
  const checkpointer = createSaver(graph.checkpoint, peer, {
    run: { run_id, attempt, durability, has_checkpoint },
    // A later attempt also loads what its run wrote: only checkpoints of before the run hold earlier messages.
    onLoaded: goes_on === undefined ? events.know : undefined,
  });
  if (goes_on !== undefined && goes_on.after !== null) {
    const before = await checkpointer.getTuple(rootOf(params, goes_on.after));
    events.know(before?.checkpoint.channel_values);
  }
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
    // Tracers call the tracing thread `thread_id`, too. It is in the engine's metadata, and takes this one's place.
    thread_id: params.thread_id,
    ...params.metadata,
    assistant_id: params.assistant_id,
    graph_id: params.graph_id,
    // By this an attempt finds what its run has written.
    run_id,
  };
  const compiled = withCheckpointer(graph, await graph.open({ configurable, metadata }), checkpointer);
  const parts = await compiled.stream(await inputOf(graph, params, checkpointer), {
    streamMode: ['updates', 'values'],
    configurable,
    metadata,
    tags: params.tags,
    durability,
    signal,
    runId: run_id,
    runName: params.graph_id,
    store: createStore(graph.checkpoint, peer, params),
    ...(params.chunks ? { callbacks: [createChunkHandler((said) => emit(events.heard(said)))] } : {}),
    ...(params.recursion_limit === undefined ? {} : { recursionLimit: params.recursion_limit }),
  });
  for await (const part of parts) {
    const [mode, payload] = part as [string, unknown];
    emit(mode === 'values' ? events.values(payload) : events.updates(payload));
  }
  signal.throwIfAborted();
  return {
    outcome: 'success',
    interrupts: events.interrupts(),
    output: events.output(compiled.outputChannels),
  };
}

/** The first versions take a checkpointer from the graph itself only: they are given a view of it that has one. */
function withCheckpointer(
  { langgraph }: LoadedGraph,
  compiled: CompiledGraph,
  checkpointer: EngineSaver,
): CompiledGraph {
  if (langgraph.Command !== undefined) return compiled;
  return Object.create(compiled, { checkpointer: { value: checkpointer } }) as CompiledGraph;
}

async function inputOf(graph: LoadedGraph, params: RunParams, checkpointer: EngineSaver): Promise<unknown> {
  if (params.resume === undefined) return params.input ?? null;
  return resumption(graph.langgraph, await checkpointer.getTuple(rootOf(params)), params.resume);
}

const rootOf = ({ thread_id }: RunParams, checkpoint_id?: string) => ({
  configurable: { thread_id, checkpoint_ns: '', ...(checkpoint_id === undefined ? {} : { checkpoint_id }) },
});
