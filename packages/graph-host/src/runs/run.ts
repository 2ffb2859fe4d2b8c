import type { RunInterrupt, RunResult, RunParams } from '@roadstead/contracts/host';
import { isRejection } from '../values/a2a-words.ts';
import { createChunkHandler } from './chunk-handler.ts';
import { wholeContext } from './whole-context.ts';
import { deltasOf, valuesIn } from '../checkpoints/deltas.ts';
import type { Emitter } from './emitter.ts';
import { feedbackLinks } from '../tracing/feedback-links.ts';
import {
  checkpointFields,
  takesCheckpointerFromConfig,
  userFields,
  withCheckpointer,
} from '../project/graph-config.ts';
import { streamGraph } from './graph-stream.ts';
import { createStore } from '../checkpoints/item-store.ts';
import type { CompiledGraph } from '../values/langgraph-types.ts';
import type { LoadedGraph } from '../project/load.ts';
import { pushedMessages } from './pushed-messages.ts';
import { commandOf, resumption } from '../graphs/resumption.ts';
import { createRunEvents, type RunEvents } from './run-events.ts';
import { RunStopped } from './run-stopped.ts';
import { createSaver, type EngineSaver, type HostPeer } from '../checkpoints/saver.ts';
import { tracerToBoth } from '../tracing/second-project.ts';
import { threadState } from '../graphs/state-rules.ts';
import { messageIds } from '../values/messages.ts';
import { createSpeakers, type Speakers } from './speakers.ts';
import { createStreamEvents, type StreamEvents } from './stream-events.ts';
import { hostErrorOf } from '../values/checked-peer.ts';
import { withinTrace } from '../tracing/trace-context.ts';

export interface RunContext {
  readonly peer: HostPeer;
  readonly signal: AbortSignal;
  readonly emitter: Pick<Emitter, 'add' | 'room'>;
}

/**
 * Makes what every run needs of the user's LangGraph, so that a version which can't be run fails the start instead of each
 * message.
 */
export function checkRunnable({ graph_id, checkpoint }: LoadedGraph, peer: HostPeer): void {
  try {
    createSaver(checkpoint, peer);
    createStore(checkpoint, peer, {});
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
    const trace = { traceparent: params.traceparent, from: graph.langgraph_file };
    return await withinTrace(trace, () => stream(graph, params, context));
  } catch (error) {
    const { aborted, reason } = context.signal;
    if (aborted)
      return { outcome: 'cancelled', reason: reason instanceof RunStopped ? reason.reason : 'cancel' };
    const rejected = isRejection(error) ? ({ rejected: true } as const) : {};
    return { outcome: 'error', error: { ...hostErrorOf(error), ...rejected } };
  }
}

async function stream(graph: LoadedGraph, params: RunParams, context: RunContext): Promise<RunResult> {
  const { peer, signal, emitter } = context;
  const events = createRunEvents(params);
  const speakers = createSpeakers((said) => emitter.add(said));
  const asked = createStreamEvents(params, speakers);
  const { run_id, attempt } = params;
  const checkpointer = await openCheckpointer(graph, { params, peer, events });
  const config = configOf(params, { checkpointer, ...graph });
  const access = {
    accessContext: 'threads.create_run',
    executionRuntime: { context: params.context },
  } as const;
  const made = await graph.open(config, access);
  const compiled = takesCheckpointerFromConfig(graph.langgraph) ? made : withCheckpointer(made, checkpointer);
  const tracer = await tracerToBoth({ ...params, from: graph.langgraph_file });
  const callbacks = [
    ...(tracer === undefined ? [] : [tracer]),
    ...callbacksOf(params, { events, emitter, asked, speakers }),
  ];
  const { context: whole, unsaid } = await wholeContext(compiled, params.context, params.configured);
  const parts = streamGraph(compiled, await inputOf(graph, params, checkpointer), {
    options: {
      ...optionsOf(params),
      ...config,
      // Graphs read its fields without asking whether there is one.
      context: whole,
      configurable: { ...unsaid, ...config.configurable },
      // The stream modes that the run itself needs, and those that were asked for.
      streamMode: [...new Set(['updates', 'values', ...asked.sources])],
      signal,
      store: createStore(graph.checkpoint, peer, { run_id, attempt }),
      ...(callbacks.length > 0 ? { callbacks } : {}),
    },
    subgraphs: params.stream?.subgraphs ?? false,
    inner: asked.inner,
    run_id,
  });
  for await (const part of parts) {
    // Only what the graph itself does is told in plain words.
    const plain = part.ns.length > 0 ? [] : events.of(part);
    await emitter.add([...(params.plain === false ? [] : plain), ...asked.of(part)]);
  }
  signal.throwIfAborted();
  const links = await feedbackLinks(params);
  if (links !== undefined) await emitter.add([{ kind: 'stream', event: 'feedback', ns: [], data: links }]);
  const { state, ...left } = events.stopped()
    ? await leftOpen(withCheckpointer(made, checkpointer), { params, heard: events.interrupts() })
    : ENDED;
  return {
    outcome: 'success',
    ...left,
    ...(params.values === true ? { values: events.last() ?? state } : {}),
    output: params.plain === false ? null : events.output(compiled.outputChannels),
  };
}

interface RunListeners {
  readonly events: RunEvents;
  readonly emitter: Pick<Emitter, 'add' | 'room'>;
  readonly asked: StreamEvents;
  readonly speakers: Speakers;
}

/** LangChain's callback handlers by which is heard what LangGraph's stream does not tell. */
function callbacksOf(
  { chunks, plain, stream }: RunParams,
  { events, emitter, asked, speakers }: RunListeners,
) {
  const streamsMessages = asked.sources.includes('messages');
  return [
    ...(chunks ? [createChunkHandler((said) => emitter.add(events.heard(said)))] : []),
    ...(streamsMessages ? [messageIds] : []),
    ...(streamsMessages || plain === false
      ? []
      : [pushedMessages((message) => emitter.add(events.pushed(message)))]),
    ...(stream?.modes.includes('messages-tuple') === true ? [speakers.handler] : []),
    ...(asked.sources.length > 0 ? [paceOf(emitter)] : []),
  ];
}

/** One of LangChain's callback handlers that lets nothing begin while there is no room for what it would say. */
const paceOf = ({ room }: Pick<Emitter, 'room'>) => ({
  name: 'roadstead-pace',
  awaitHandlers: true,
  handleChainStart: () => room(),
});

const ENDED = { interrupts: [], state: null };

/**
 * The questions that a stopped run leaves open, with the tasks that ask them, the nodes that wait, and the state: a graph that
 * stops before it has written anything streams none, and that of a new thread is empty.
 */
async function leftOpen(
  compiled: CompiledGraph,
  { params, heard }: { readonly params: RunParams; readonly heard: readonly RunInterrupt[] },
): Promise<{ interrupts: RunInterrupt[]; next: readonly string[]; state: unknown }> {
  const { tasks, next, values } = threadState(await compiled.getState(rootOf(params)));
  const taskOf = new Map(tasks.flatMap((task) => task.interrupts.map(({ id }) => [id, task.id] as const)));
  const interrupts = heard.map((one) => {
    const task_id = taskOf.get(one.id);
    return task_id === undefined ? one : { ...one, task_id };
  });
  return { interrupts, next, state: params.has_checkpoint ? values : {} };
}

async function openCheckpointer(
  graph: LoadedGraph,
  {
    params,
    peer,
    events,
  }: { readonly params: RunParams; readonly peer: HostPeer; readonly events: RunEvents },
): Promise<EngineSaver> {
  const { run_id, attempt, thread_id, durability, has_checkpoint, goes_on, checkpoint } = params;
  const checkpointer = createSaver(graph.checkpoint, peer, {
    run: { run_id, attempt, thread_id, durability, has_checkpoint, metadata: markOf(params) },
    // A later attempt also loads what its run wrote: only checkpoints of before the run hold earlier messages.
    onLoaded: goes_on === undefined ? events.know : undefined,
  });
  if (goes_on !== undefined && goes_on.after !== null) {
    const config = rootOf(params, goes_on.after);
    const before = await checkpointer.getTuple(config);
    events.know(before?.checkpoint.channel_values);
    const channels = before === undefined ? [] : deltasOf(before);
    if (channels.length > 0)
      events.know(valuesIn(await checkpointer.getDeltaChannelHistory({ config, channels })));
  }
  // LangGraph would begin again.
  const named = goes_on === undefined ? checkpoint?.checkpoint_id : undefined;
  if (typeof named === 'string') {
    const place = checkpointFields(params.thread_id, checkpoint);
    if ((await checkpointer.getTuple({ configurable: place })) === undefined)
      throw new Error(`The thread has no checkpoint "${named}".`);
  }
  return checkpointer;
}

/** The metadata by which a checkpoint names the run that wrote it; clients find checkpoints by it. */
function markOf({ metadata, graph_id, assistant_id }: RunParams): Readonly<Record<string, unknown>> {
  const { revision_id: _revision, run_attempt: _attempt, ...said } = metadata;
  return { ...said, graph_id, assistant_id };
}

type GraphSaver = Pick<LoadedGraph, 'langgraph_version'> & { readonly checkpointer: EngineSaver };

/** Where the deployment's API is, if it is known. */
const api_url = process.env['LANGGRAPH_API_URL'];

function configOf(params: RunParams, { checkpointer, langgraph_version }: GraphSaver) {
  const { run_id, thread_id, assistant_id, graph_id, goes_on, checkpoint } = params;
  const configurable = {
    ...params.configurable,
    ...userFields(params.user),
    ...checkpointFields(thread_id, goes_on === undefined ? checkpoint : undefined),
    assistant_id,
    graph_id,
    run_id,
    // How LangGraph itself hands a checkpointer down; the user's compiled graph stays as it is.
    __pregel_checkpointer: checkpointer,
  };
  const metadata = {
    // Tracers call the tracing thread `thread_id`, too. It is in the engine's metadata, and takes this one's place.
    thread_id,
    ...params.metadata,
    assistant_id,
    graph_id,
    // An attempt finds by it what its run has written.
    run_id,
    ...(langgraph_version === null ? {} : { langgraph_version }),
    ...(api_url === undefined ? {} : { langgraph_api_url: api_url }),
  };
  return { configurable, metadata };
}

/** An option that isn't given must be absent: LangGraph would take it for the graph's own. */
function optionsOf({
  run_id,
  graph_id,
  tags,
  durability,
  interrupt_before,
  interrupt_after,
  recursion_limit,
}: RunParams) {
  return {
    tags,
    durability,
    runId: run_id,
    runName: graph_id,
    ...(interrupt_before === undefined ? {} : { interruptBefore: interrupt_before }),
    ...(interrupt_after === undefined ? {} : { interruptAfter: interrupt_after }),
    ...(recursion_limit === undefined ? {} : { recursionLimit: recursion_limit }),
  };
}

async function inputOf(graph: LoadedGraph, params: RunParams, checkpointer: EngineSaver): Promise<unknown> {
  const { resume, command } = params;
  const saved = () => checkpointer.getTuple(rootOf(params));
  if (resume !== undefined) return resumption(graph.langgraph, await saved(), resume);
  if (command === undefined) return params.input ?? null;
  // LangGraph takes an empty answer for none: it goes by the ids of what was asked.
  const empty = command.resume !== undefined && !command.resume;
  return commandOf(graph.langgraph, command, empty ? await saved() : undefined);
}

const rootOf = ({ thread_id }: RunParams, checkpoint_id?: string) => ({
  configurable: checkpointFields(thread_id, { checkpoint_id: checkpoint_id ?? null }),
});
