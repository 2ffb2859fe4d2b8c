import type { EngineCalls, StateUpdate, ThreadState } from '@roadstead/contracts/host';
import { RemoteError } from '@roadstead/contracts/host-peer';
import { commandOf } from './resumption.ts';
import { checkpointFields, userFields, withCheckpointer } from '../project/graph-config.ts';
import { createStore } from '../checkpoints/item-store.ts';
import type { CompiledGraph, RunnableConfig } from '../values/langgraph-types.ts';
import type { AccessContext, LoadedGraph } from '../project/load.ts';
import { createSaver, type EngineSaver, type HostPeer } from '../checkpoints/saver.ts';
import { checkpointOf, threadState } from './state-rules.ts';

type Params<M extends keyof EngineCalls> = EngineCalls[M]['params'];

/** The state of threads, as their graph sees it: read, written and listed by the user's own LangGraph. */
export async function readState(
  graph: LoadedGraph,
  peer: HostPeer,
  params: Params<'state.get'>,
): Promise<ThreadState> {
  const { compiled, config } = await open(graph, { peer, params, access: 'threads.read' });
  return threadState(await compiled.getState(config, { subgraphs: params.subgraphs === true }));
}

export async function listStates(
  graph: LoadedGraph,
  peer: HostPeer,
  params: Params<'state.history'>,
): Promise<ThreadState[]> {
  const { compiled, config } = await open(graph, { peer, params, access: 'threads.read' });
  const { limit, before, filter, thread_id } = params;
  const snapshots = compiled.getStateHistory(config, {
    limit,
    ...(before === undefined ? {} : { before: { configurable: checkpointFields(thread_id, before) } }),
    ...(filter === undefined ? {} : { filter }),
  });
  const states: ThreadState[] = [];
  for await (const snapshot of snapshots) {
    states.push(threadState(snapshot));
    if (states.length >= limit) break;
  }
  return states;
}

/** Writes values as if nodes had returned them, a checkpoint for each step. */
export async function updateState(
  graph: LoadedGraph,
  peer: HostPeer,
  params: Params<'state.update'>,
): Promise<EngineCalls['state.update']['result']> {
  const { compiled, config, checkpointer } = await open(graph, { peer, params, access: 'threads.update' });
  if (typeof params.checkpoint?.checkpoint_id === 'string' && !(await checkpointer.getTuple(config)))
    throw refusal(`The thread has no checkpoint "${params.checkpoint.checkpoint_id}".`);
  const steps = params.supersteps.map(({ updates }) => ({
    updates: updates.map((update) => ({
      values: valuesOf(graph, update),
      ...(update.as_node === undefined ? {} : { asNode: update.as_node }),
    })),
  }));
  try {
    const written = await write(compiled, config, steps);
    return { checkpoint: checkpointOf(written) ?? { checkpoint_id: null } };
  } catch (error) {
    // The engine's own trouble is no mistake of who asked.
    if (error instanceof RemoteError) throw error;
    throw refusal(error instanceof Error ? error.message : String(error));
  }
}

function valuesOf({ langgraph }: LoadedGraph, { values, command }: StateUpdate): unknown {
  return command === undefined ? (values ?? null) : commandOf(langgraph, command);
}

type Steps = Parameters<NonNullable<CompiledGraph['bulkUpdateState']>>[1];

/** Versions that can't write several steps at once write them one after the other. */
async function write(compiled: CompiledGraph, config: RunnableConfig, steps: Steps): Promise<RunnableConfig> {
  if (compiled.bulkUpdateState !== undefined) return compiled.bulkUpdateState(config, steps);
  let at = config;
  for (const { updates } of steps) {
    const [update] = updates;
    if (update === undefined || updates.length > 1)
      throw refusal('This version of @langchain/langgraph writes one update a step.');
    at = await compiled.updateState(at, update.values, update.asNode);
  }
  return at;
}

/** LangGraph's own name of the error for an update that can't be made; it tells the engine whose mistake it is. */
const refusal = (message: string): Error => Object.assign(new Error(message), { name: 'InvalidUpdateError' });

interface OpenedGraph {
  readonly compiled: CompiledGraph;
  readonly config: RunnableConfig;
  readonly checkpointer: EngineSaver;
}

async function open(
  graph: LoadedGraph,
  {
    peer,
    params: { thread_id, graph_id, configurable, user, checkpoint },
    access,
  }: { readonly peer: HostPeer; readonly params: Params<'state.get'>; readonly access: AccessContext },
): Promise<OpenedGraph> {
  const config = {
    configurable: {
      ...configurable,
      ...userFields(user),
      graph_id,
      ...checkpointFields(thread_id, checkpoint),
    },
  };
  const checkpointer = createSaver(graph.checkpoint, peer);
  const store = createStore(graph.checkpoint, peer, {});
  const compiled = await graph.open(config, { accessContext: access, executionRuntime: null });
  return { compiled: withCheckpointer(compiled, checkpointer, store), config, checkpointer };
}
