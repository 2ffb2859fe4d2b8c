import type { GraphDescription } from '@roadstead/contracts/host';

/** Turns assistants into tools of MCP: their names and input schemas. */

type JsonSchema = Readonly<Record<string, unknown>>;

/** An assistant as far as a tool shows it. */
export interface ToolAssistant {
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly name: string;
  readonly description: string | null;
}

export interface AgentTool {
  readonly name: string;
  readonly assistant: ToolAssistant;
  readonly title: string;
  readonly description: string;
}

/** The longest name that every model's API takes. */
const MAX_NAME_CHARS = 64;
const ID_CHARS = 8;

/** A tool for each assistant; among several of one name the first has it, and the others append a piece of their id. */
export function toolsOf(
  assistants: readonly ToolAssistant[],
  graphs: readonly GraphDescription[],
): AgentTool[] {
  const taken = new Set<string>();
  return assistants.map((assistant) => {
    const plain = plainName(assistant.name) || plainName(assistant.graph_id) || 'agent';
    const name = taken.has(plain)
      ? `${plain.slice(0, MAX_NAME_CHARS - ID_CHARS - 1)}-${assistant.assistant_id.slice(-ID_CHARS)}`
      : plain;
    taken.add(name);
    const graph = graphs.find(({ graph_id }) => graph_id === assistant.graph_id);
    const description =
      assistant.description ?? graph?.description ?? `Asks the agent ${JSON.stringify(assistant.name)}.`;
    return { name, assistant, title: assistant.name, description };
  });
}

const plainName = (name: string) =>
  name
    .normalize('NFKD')
    .replaceAll(/[^\w-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, MAX_NAME_CHARS);

/** The argument that holds an input which is no object: tools take only objects. */
const WHOLE = 'input';

/** The input schema of a tool: its graph's. Where that is unknown, a guess from the names of its channels. */
export function inputSchemaOf(schema: JsonSchema | null, graph: GraphDescription | undefined): JsonSchema {
  if (schema === null) return guessed(graph);
  const open = opened(schema) as JsonSchema;
  if (takesObjects(open)) return { ...open, type: 'object' };
  return { type: 'object', properties: { [WHOLE]: open }, required: [WHOLE] };
}

/** Drops boolean `additionalProperties` from a schema: Google's SDK for Python refuses a tool that has it. */
function opened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(opened);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => keyword !== 'additionalProperties' || typeof value !== 'boolean',
  );
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (LITERAL.has(keyword)) return [keyword, value];
      if (!NAMED.has(keyword) || !isObject(value)) return [keyword, opened(value)];
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, opened(one)]))];
    }),
  );
}

/** Keywords whose values are no schemas. */
const LITERAL: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords that hold schemas by name. */
const NAMED: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The graph's input from a tool's arguments. */
export function inputOf(schema: JsonSchema | null, given: unknown): unknown {
  const fields = (given ?? {}) as Readonly<Record<string, unknown>>;
  return schema === null || takesObjects(schema) ? fields : fields[WHOLE];
}

const takesObjects = ({ type, properties }: JsonSchema) => type === 'object' || properties !== undefined;

function guessed(graph: GraphDescription | undefined): JsonSchema {
  const channels = graph?.channels ?? [];
  const properties = Object.fromEntries(
    channels.map((name) => [name, name === 'messages' && graph?.has_messages ? messages : {}]),
  );
  return { type: 'object', properties };
}

const messages: JsonSchema = {
  type: 'array',
  description: 'What is said to the agent, in order.',
  items: {
    type: 'object',
    properties: {
      role: { type: 'string', enum: ['user', 'assistant', 'system'] },
      content: { type: 'string' },
    },
    required: ['role', 'content'],
  },
};
