/** JSON Schemas of states. Pure. */

export type JsonSchema = Readonly<Record<string, unknown>>;

interface ChannelOptions {
  readonly names: string | readonly string[];
  /** LangGraph's own reducer, by which a channel of messages is known. */
  readonly messagesStateReducer: unknown;
}

/** Messages as callers may write them; LangGraph's clients know them by `langgraph_type`. */
const messages: JsonSchema = {
  langgraph_type: 'messages',
  description: 'A list of chat messages',
  type: 'array',
  items: {
    type: 'object',
    properties: {
      role: { type: 'string', description: 'Who says it, such as user or assistant' },
      content: {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }],
        description: 'A text, or content blocks',
      },
    },
    required: ['content'],
  },
};

/** LangGraph's own channels: of its start, of edges and of joins. */
const OWN = /^(__|branch:|join:|start:)/;

/** Describes a state without a schema by its channels, and by which of them hold messages. */
export function channelSchema(
  channels: Readonly<Record<string, unknown>> | undefined,
  { names, messagesStateReducer }: ChannelOptions,
): JsonSchema {
  const schemaOf = (name: string) => (holdsMessages(channels?.[name], messagesStateReducer) ? messages : {});
  // One channel that is the whole of what goes in or comes out: its value has no fields that are known.
  if (typeof names === 'string')
    return OWN.test(names) ? fieldsOf(ownOf(Object.keys(channels ?? {})), schemaOf) : schemaOf(names);
  return fieldsOf(ownOf(names), schemaOf);
}

const ownOf = (names: readonly string[]) => names.filter((name) => !OWN.test(name));

const fieldsOf = (names: readonly string[], schemaOf: (name: string) => JsonSchema): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, schemaOf(name)])),
});

const holdsMessages = (channel: unknown, reducer: unknown): boolean =>
  reducer !== undefined &&
  typeof channel === 'object' &&
  channel !== null &&
  (channel as { operator?: unknown }).operator === reducer;

/** Whether there are fields of which nothing is known but the name. */
export const hasUnknown = ({ properties }: JsonSchema): boolean =>
  Object.values(fieldsIn(properties)).some((field) => Object.keys(field).length === 0);

/** Fields of which nothing else is known are of the types that the project's TypeScript tells. */
export function withTypes(schema: JsonSchema, types: readonly JsonSchema[]): JsonSchema {
  const told = Object.assign({}, ...types.map(({ properties }) => fieldsIn(properties))) as Fields;
  const fields = Object.entries(fieldsIn(schema['properties'])).map(([name, field]) => [
    name,
    Object.keys(field).length === 0 ? (told[name] ?? field) : field,
  ]);
  return { ...schema, properties: Object.fromEntries(fields) as Fields };
}

type Fields = Readonly<Record<string, JsonSchema>>;
const fieldsIn = (properties: unknown): Fields =>
  typeof properties === 'object' && properties !== null ? (properties as Fields) : {};

/** LangGraph says only that a field holds messages; those who know nothing of LangGraph need to be told what these are. */
export function withMessages(schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (properties === undefined) return schema;
  const told = Object.entries(fieldsIn(properties)).map(([name, field]) => [
    name,
    field['langgraph_type'] === 'messages' && !('type' in field) ? { ...messages, ...field } : field,
  ]);
  return { ...schema, properties: Object.fromEntries(told) as JsonSchema };
}
