import { SettingsObject } from './run-settings.ts';
import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { filterBy, queryFlag, Timestamp, Uuid } from '../values/query-values.ts';
import { JsonObject, WellFormedText } from '../values/well-formed-text.ts';
import { AssistantName, GraphConfig, page, SortOrder } from './langgraph-shapes.ts';

/** Assistants of the LangGraph API: graphs with a configuration, in versions. Each graph has one of its own. */

const invoke = { access: 'agents:invoke' } as const;
const params = z.object({ assistant_id: AssistantName });

const versioned = {
  assistant_id: Uuid,
  graph_id: WellFormedText,
  name: WellFormedText,
  description: WellFormedText.nullable(),
  config: JsonObject,
  context: JsonObject,
  metadata: JsonObject,
  version: z.int(),
  created_at: Timestamp,
};
const AssistantVersion = z.object(versioned).meta({ id: 'AssistantVersion' });
const assistant = { ...versioned, updated_at: Timestamp };
const Assistant = z.object(assistant).meta({ id: 'Assistant' });
export const AssistantField = z.enum(Object.keys(assistant) as [keyof typeof assistant]);
export type AssistantField = z.output<typeof AssistantField>;

const Name = WellFormedText.min(1).max(1024);
const Description = WellFormedText.max(65_536);
const Modes = z.array(WellFormedText.min(1).max(256)).min(1).max(100);
/** The words of an assistant in its agent card, and whether it sends user interfaces. */
const A2aWords = z.looseObject({
  input_modes: Modes.optional(),
  output_modes: Modes.optional(),
  a2ui: z.boolean().optional(),
});
const Metadata = JsonObject.superRefine(({ a2a }, { addIssue }) => {
  const issues = a2a === undefined || a2a === null ? [] : (A2aWords.safeParse(a2a).error?.issues ?? []);
  for (const { path, message } of issues) addIssue({ code: 'custom', path: ['a2a', ...path], message });
});
const configuration = {
  config: GraphConfig.nullish(),
  context: SettingsObject.nullish(),
  metadata: Metadata.nullish(),
  name: Name.nullish(),
  description: Description.nullish(),
};

const AssistantCreate = z
  .object({
    ...configuration,
    assistant_id: Uuid.nullish(),
    graph_id: AssistantName,
    if_exists: z.enum(['raise', 'do_nothing']).nullish(),
  })
  .meta({ id: 'AssistantCreate' });
const AssistantPatch = z
  .object({ ...configuration, graph_id: AssistantName.nullish() })
  .meta({ id: 'AssistantPatch' });

const filter = {
  metadata: JsonObject.nullish(),
  graph_id: AssistantName.nullish(),
  /** A part of the name, in letters of any case. */
  name: WellFormedText.max(1024).nullish(),
};

const schema = JsonObject.nullable();
const schemas = {
  graph_id: WellFormedText,
  input_schema: schema,
  output_schema: schema,
  state_schema: schema,
  config_schema: schema,
  context_schema: schema,
};
const GraphSchemas = z.object(schemas).meta({ id: 'GraphSchemas' });
const Subgraphs = z.record(z.string(), GraphSchemas);
const recurse = z.object({ recurse: queryFlag.default(false) });

export const assistantEndpoints = {
  createAssistant: endpoint({
    ...invoke,
    method: 'POST',
    path: '/assistants',
    summary: 'Create an assistant of a graph, as version 1',
    body: AssistantCreate,
    errors: [404, 409],
    success: { status: 200, body: Assistant },
    example: {
      body: { graph_id: 'agent', name: 'Harbour guide', config: { configurable: { language: 'en' } } },
    },
  }),
  searchAssistants: endpoint({
    ...invoke,
    method: 'POST',
    path: '/assistants/search',
    summary:
      'Find assistants, the newest first; `X-Pagination-Next` is the offset of the next page, where there is one',
    body: z.object({
      ...filter,
      ...page,
      sort_by: z.enum(['assistant_id', 'graph_id', 'name', 'created_at', 'updated_at']).nullish(),
      sort_order: SortOrder.nullish(),
      select: filterBy(z.array(AssistantField).nullable()),
    }),
    success: { status: 200, body: z.array(Assistant.partial()) },
    example: { body: { graph_id: 'agent', limit: 10 } },
  }),
  countAssistants: endpoint({
    ...invoke,
    method: 'POST',
    path: '/assistants/count',
    summary: 'Count assistants',
    body: z.object(filter),
    success: { status: 200, body: z.int() },
    example: { body: { graph_id: 'agent' } },
  }),
  readAssistant: endpoint({
    ...invoke,
    method: 'GET',
    path: '/assistants/{assistant_id}',
    summary: 'Read an assistant',
    params,
    success: { status: 200, body: Assistant },
  }),
  patchAssistant: endpoint({
    ...invoke,
    method: 'PATCH',
    path: '/assistants/{assistant_id}',
    summary: 'Change an assistant by a new version; metadata is merged, absent fields stay',
    params,
    body: AssistantPatch,
    success: { status: 200, body: Assistant },
    example: { body: { name: 'Harbour guide', metadata: { team: 'ports' } } },
  }),
  deleteAssistant: endpoint({
    ...invoke,
    method: 'DELETE',
    path: '/assistants/{assistant_id}',
    summary: 'Delete an assistant, its versions and runs; its threads where `delete_threads` says so',
    params,
    query: z.object({ delete_threads: queryFlag.default(false) }),
    errors: [409],
    success: { status: 204 },
    example: { query: { delete_threads: 'true' } },
  }),
  readAssistantGraph: endpoint({
    ...invoke,
    method: 'GET',
    path: '/assistants/{assistant_id}/graph',
    summary: 'Nodes and edges of the graph; `xray` opens its subgraphs, so many levels deep or all',
    params,
    query: z.object({
      xray: z.union([queryFlag, z.coerce.number<string>().int().min(0).max(100)]).default(false),
    }),
    success: {
      status: 200,
      body: z.object({ nodes: z.array(JsonObject), edges: z.array(JsonObject) }).meta({ id: 'GraphDrawing' }),
    },
    example: { query: { xray: 'true' } },
  }),
  readAssistantSchemas: endpoint({
    ...invoke,
    method: 'GET',
    path: '/assistants/{assistant_id}/schemas',
    summary: 'JSON Schemas of the graph; null where none could be found',
    params,
    success: { status: 200, body: GraphSchemas },
  }),
  listSubgraphs: endpoint({
    ...invoke,
    method: 'GET',
    path: '/assistants/{assistant_id}/subgraphs',
    summary: 'JSON Schemas of the subgraphs, by namespace',
    params,
    query: recurse,
    success: { status: 200, body: Subgraphs },
    example: { query: { recurse: 'true' } },
  }),
  listSubgraphsBelow: endpoint({
    ...invoke,
    method: 'GET',
    path: '/assistants/{assistant_id}/subgraphs/{namespace}',
    summary: 'JSON Schemas of the subgraph of a namespace',
    params: params.extend({ namespace: WellFormedText.max(1024) }),
    query: recurse,
    success: { status: 200, body: Subgraphs },
    example: { query: { recurse: 'true' } },
  }),
  listAssistantVersions: endpoint({
    ...invoke,
    method: 'POST',
    path: '/assistants/{assistant_id}/versions',
    summary: 'Versions of an assistant, the newest first',
    params,
    body: z.object({ metadata: JsonObject.nullish(), ...page }),
    success: { status: 200, body: z.array(AssistantVersion) },
    example: { body: { limit: 10 } },
  }),
  setLatestVersion: endpoint({
    ...invoke,
    method: 'POST',
    path: '/assistants/{assistant_id}/latest',
    summary: 'Make a version of an assistant the one that runs',
    params,
    body: z.object({ version: z.int().min(1).max(2_147_483_647) }),
    success: { status: 200, body: Assistant },
    example: { body: { version: 1 } },
  }),
};
