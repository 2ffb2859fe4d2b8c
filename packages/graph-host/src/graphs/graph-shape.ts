import type { EngineCalls, GraphDrawing, GraphSchemas } from '@roadstead/contracts/host';
import type { CompiledGraph } from '../values/langgraph-types.ts';
import type { LoadedGraph } from '../project/load.ts';
import { hasUnknown, withTypes } from '../values/schema-rules.ts';
import { schemasOf } from './schemas.ts';
import { findTypeScript, readTypes } from './static-types.ts';

/** Describes a graph as it looks from outside: the schemas of what goes in and comes out, its subgraphs, its drawing. */

const open = (graph: LoadedGraph): Promise<CompiledGraph> =>
  graph.open(
    { configurable: {}, metadata: {} },
    { accessContext: 'assistants.read', executionRuntime: null },
  );

/** Found once for a graph: they are the same as long as the process lives. */
const found = new WeakMap<LoadedGraph, Promise<GraphSchemas>>();

export function readSchemas(graph: LoadedGraph): Promise<GraphSchemas> {
  const known = found.get(graph);
  if (known !== undefined) return known;
  const schemas = open(graph).then(async (compiled) =>
    withStaticTypes(graph, await schemasOf(graph, compiled)),
  );
  found.set(graph, schemas);
  // A failure is not remembered, since the next try may succeed: a factory may need the network.
  schemas.catch(() => found.delete(graph));
  return schemas;
}

/** Only where a schema has holes is the project's TypeScript asked: it takes seconds. */
async function withStaticTypes({ source }: LoadedGraph, schemas: GraphSchemas): Promise<GraphSchemas> {
  const { input_schema, output_schema, state_schema } = schemas;
  const typescript = findTypeScript(source.file);
  if (
    typescript === undefined ||
    ![input_schema, output_schema, state_schema].some((one) => one && hasUnknown(one))
  )
    return schemas;
  const types = await readTypes({ ...source, typescript });
  if (types === undefined) return schemas;
  const { Input, Output, Context } = types;
  const context = schemas.context_schema ?? ('properties' in Context ? Context : null);
  return {
    ...schemas,
    input_schema: input_schema && withTypes(input_schema, [Input]),
    output_schema: output_schema && withTypes(output_schema, [Output]),
    state_schema: state_schema && withTypes(state_schema, [Output, Input]),
    config_schema: context,
    context_schema: context,
  };
}

export async function readSubgraphs(
  graph: LoadedGraph,
  { namespace, recurse }: EngineCalls['subgraphs']['params'],
): Promise<Readonly<Record<string, GraphSchemas>>> {
  const compiled = await open(graph);
  const subgraphs: Record<string, GraphSchemas> = {};
  const list =
    compiled.getSubgraphsAsync?.(namespace, recurse) ?? compiled.getSubgraphs?.(namespace, recurse) ?? [];
  for await (const [name, subgraph] of list) subgraphs[name] = await schemasOf(graph, subgraph);
  return subgraphs;
}

export async function drawGraph(
  graph: LoadedGraph,
  { xray }: EngineCalls['graph']['params'],
): Promise<GraphDrawing> {
  const compiled = await open(graph);
  const drawing = (await compiled.getGraphAsync?.({ xray })) ?? compiled.getGraph?.({ xray });
  if (drawing === undefined) throw new Error('This version of @langchain/langgraph draws no graphs.');
  return drawing.toJSON();
}
