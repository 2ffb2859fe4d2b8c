import type { GraphSchemas } from '@roadstead/contracts/host';
import type { CompiledGraph } from '../values/langgraph-types.ts';
import type { LoadedGraph } from '../project/load.ts';
import { channelSchema, type JsonSchema, withMessages } from '../values/schema-rules.ts';
import { importAsUser } from '../modules/user-modules.ts';

/** The user's own LangGraph knows the schemas of states that are written with zod or as a `StateSchema`. */
interface SchemaModule {
  getInputTypeSchema?(graph: CompiledGraph): unknown;
  getOutputTypeSchema?(graph: CompiledGraph): unknown;
  getStateTypeSchema?(graph: CompiledGraph): unknown;
  getConfigTypeSchema?(graph: CompiledGraph): unknown;
}

/** JSON Schemas of a graph; where its state has no schema at run time, the names of its channels. */
export async function schemasOf(graph: LoadedGraph, compiled: CompiledGraph): Promise<GraphSchemas> {
  const { graph_id, langgraph_file } = graph;
  const module = await importAsUser<SchemaModule>('@langchain/langgraph/zod/schema', langgraph_file).catch(
    (): SchemaModule => ({}),
  );
  const { messagesStateReducer } = graph.langgraph;
  const of = (read: ((graph: CompiledGraph) => unknown) | undefined, names?: string | readonly string[]) => {
    const schema =
      readSchema(read, compiled) ??
      (names === undefined ? null : channelSchema(compiled.channels, { names, messagesStateReducer }));
    return schema === null ? null : withMessages(schema);
  };
  const config_schema = of(module.getConfigTypeSchema);
  return {
    graph_id,
    input_schema: of(module.getInputTypeSchema, inputFields(compiled)),
    output_schema: of(module.getOutputTypeSchema, compiled.outputChannels),
    state_schema: of(
      module.getStateTypeSchema,
      compiled.streamChannelsAsIs ?? Object.keys(compiled.channels ?? {}),
    ),
    config_schema,
    // To LangGraph for JavaScript both are one.
    context_schema: config_schema,
  };
}

/** A compiled graph takes its input by one channel; what it was compiled from knows the fields. */
function inputFields({ builder, inputChannels, channels }: CompiledGraph): string | readonly string[] {
  const definition = builder?._schemaDefinitions?.get(builder._inputDefinition);
  return definition === undefined ? (inputChannels ?? Object.keys(channels ?? {})) : Object.keys(definition);
}

/** A type that JSON Schema can't describe, such as a transformation of zod's, has no schema. */
function readSchema(
  read: ((graph: CompiledGraph) => unknown) | undefined,
  compiled: CompiledGraph,
): JsonSchema | null {
  try {
    const schema = read?.(compiled);
    return typeof schema === 'object' && schema !== null ? (schema as JsonSchema) : null;
  } catch {
    return null;
  }
}
