import type { EngineCalls } from '@roadstead/contracts/host';
import type { JsonBytes } from '@roadstead/contracts/host-peer';
import { historyBytes, stateBytes } from './values/checked-peer.ts';
import { drawGraph, readSchemas, readSubgraphs } from './graphs/graph-shape.ts';
import type { LoadedGraph, LoadedProject } from './project/load.ts';
import type { HostPeer } from './checkpoints/saver.ts';
import { listStates, readState, updateState } from './graphs/thread-state.ts';

type Answer<M extends keyof EngineCalls> = (
  params: EngineCalls[M]['params'],
) => Promise<EngineCalls[M]['result'] | JsonBytes>;
type GraphCalls = 'state.get' | 'state.update' | 'state.history' | 'schemas' | 'subgraphs' | 'graph';

/** Answers what the engine asks of graphs that don't run. */
export function createGraphAnswers(
  load: () => Promise<LoadedProject>,
  peer: HostPeer,
): { readonly [M in GraphCalls]: Answer<M> } {
  const graphOf = async ({ graph_id }: { readonly graph_id: string }) => findGraph(await load(), graph_id);
  return {
    'state.get': async (params) => stateBytes(await readState(await graphOf(params), peer, params)),
    'state.update': async (params) => updateState(await graphOf(params), peer, params),
    schemas: async (params) => readSchemas(await graphOf(params)),
    subgraphs: async (params) => ({ subgraphs: await readSubgraphs(await graphOf(params), params) }),
    graph: async (params) => drawGraph(await graphOf(params), params),
    'state.history': async (params) => historyBytes(await listStates(await graphOf(params), peer, params)),
  };
}

export function findGraph({ graphs }: LoadedProject, graph_id: string): LoadedGraph {
  const graph = graphs.get(graph_id);
  if (graph === undefined) throw new Error(`There is no graph "${graph_id}" in this revision.`);
  return graph;
}
