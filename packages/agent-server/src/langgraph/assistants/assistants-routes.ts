import type { assistantEndpoints } from '@roadstead/contracts/agent-server';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { AccessRules } from '../../access/caller.ts';
import { matchesFilters } from '../../access/filter-rules.ts';
import type { Assistant } from '../../assistants/assistant.ts';
import type { Assistants } from '../../assistants/assistants.ts';
import type { Runs } from '../../runs/runs.ts';
import type { Threads } from '../../threads/threads.ts';
import { pageHeaders, selected } from '../answers.ts';
import { losesHold } from '../../access/refusal-rules.ts';
import { keepsHold, metadataOf, permit, type PermittedCall } from '../permission.ts';

export interface AssistantRoutesOptions {
  readonly assistants: Assistants;
  readonly threads: Pick<Threads, 'removeOfAssistant'>;
  readonly access: AccessRules;
  readonly ask: Runs['ask'];
}

type AssistantHandlers = Handlers<typeof assistantEndpoints>;
type AnyCall = Parameters<AssistantHandlers['readAssistant']>[0];

/** The handlers of the LangGraph API's assistants. */
export function createAssistantHandlers(options: AssistantRoutesOptions): AssistantHandlers {
  return { ...crud(options), ...lists(options), ...versions(options), ...shapes(options) };
}

const visibleIn =
  ({ filters }: PermittedCall) =>
  ({ metadata }: Assistant) =>
    matchesFilters(metadata, filters);

/** The assistant that a call names, if its caller may act on it so. */
async function named(
  { assistants, access }: AssistantRoutesOptions,
  {
    principal,
    params,
    action,
    value = {},
  }: Pick<AnyCall, 'principal' | 'params'> & {
    readonly action: 'read' | 'update' | 'delete';
    readonly value?: Readonly<Record<string, unknown>>;
  },
): Promise<{ readonly assistant: Assistant; readonly permitted: PermittedCall }> {
  const known = await assistants.find(params.assistant_id);
  const assistant_id = known?.assistant_id ?? params.assistant_id;
  const permitted = await permit(access, {
    principal,
    resource: 'assistants',
    action,
    value: { assistant_id, ...value },
  });
  return { assistant: await assistants.read(params.assistant_id, visibleIn(permitted)), permitted };
}

type Crud = 'createAssistant' | 'readAssistant' | 'patchAssistant' | 'deleteAssistant';

function crud(options: AssistantRoutesOptions): Pick<AssistantHandlers, Crud> {
  const { assistants, threads, access } = options;
  return {
    createAssistant: async ({ principal, body }) => {
      const { if_exists, ...given } = body;
      const value = { ...given, metadata: given.metadata ?? {}, if_exists: if_exists ?? 'raise' };
      const permitted = await permit(access, { principal, resource: 'assistants', action: 'create', value });
      const metadata = metadataOf(permitted);
      const keeps = keepsHold(metadata, permitted);
      const created = keeps ? await assistants.create({ ...given, metadata }) : undefined;
      if (created !== undefined) return created;
      const known = await assistants.find(given.assistant_id ?? '');
      const isSeen = known !== undefined && visibleIn(permitted)(known);
      if (!isSeen && !keeps) throw losesHold();
      if (if_exists !== 'do_nothing' || !isSeen)
        throw new Problem('conflict', 'An assistant of this id is there already.');
      return known;
    },
    readAssistant: async (call) => (await named(options, { ...call, action: 'read' })).assistant,
    patchAssistant: async ({ principal, params, body }) => {
      const { assistant, permitted } = await named(options, {
        principal,
        params,
        action: 'update',
        value: body,
      });
      const held = { ...assistant, isVisible: visibleIn(permitted) };
      return assistants.patch(held, { ...body, metadata: metadataOf(permitted) });
    },
    deleteAssistant: async ({ principal, params, query }) => {
      const { assistant } = await named(options, { principal, params, action: 'delete' });
      const { assistant_id } = assistant;
      if (query.delete_threads) {
        const { within } = await permit(access, {
          principal,
          resource: 'threads',
          action: 'delete',
          value: { assistant_id },
        });
        await threads.removeOfAssistant(assistant_id, within);
      }
      await assistants.remove(assistant_id);
    },
  };
}

function lists(
  options: AssistantRoutesOptions,
): Pick<AssistantHandlers, 'searchAssistants' | 'countAssistants'> {
  const { assistants, access } = options;
  return {
    searchAssistants: async ({ principal, body }) => {
      const { limit: asked, offset: start, sort_by, sort_order, select, ...filter } = body;
      const [limit, offset] = [asked ?? 10, start ?? 0];
      const value = { ...filter, limit, offset };
      const { within } = await permit(access, { principal, resource: 'assistants', action: 'search', value });
      const { found, total } = await assistants.search(
        { ...filter, within: [within, filter.metadata ?? {}] },
        { sort_by: sort_by ?? 'created_at', sort_order: sort_order ?? 'desc', limit, offset },
      );
      const end = offset + found.length;
      return Response.json(
        found.map((one) => selected(one, select)),
        { headers: pageHeaders({ next: end < total ? end : null, total }) },
      );
    },
    countAssistants: async ({ principal, body }) => {
      const { within } = await permit(access, {
        principal,
        resource: 'assistants',
        action: 'search',
        value: { ...body, limit: 0, offset: 0 },
      });
      return assistants.count({ ...body, within: [within, body.metadata ?? {}] });
    },
  };
}

function versions(
  options: AssistantRoutesOptions,
): Pick<AssistantHandlers, 'listAssistantVersions' | 'setLatestVersion'> {
  const { assistants } = options;
  return {
    listAssistantVersions: async ({ principal, params, body }) => {
      const { assistant, permitted } = await named(options, { principal, params, action: 'read' });
      return assistants.listVersions(assistant.assistant_id, {
        within: [permitted.within, body.metadata ?? {}],
        limit: body.limit ?? 10,
        offset: body.offset ?? 0,
      });
    },
    setLatestVersion: async ({ principal, params, body }) => {
      const { assistant, permitted } = await named(options, {
        principal,
        params,
        action: 'update',
        value: body,
      });
      return assistants.setVersion({ ...assistant, isVisible: visibleIn(permitted) }, body.version);
    },
  };
}

type Shapes = 'readAssistantGraph' | 'readAssistantSchemas' | 'listSubgraphs' | 'listSubgraphsBelow';

/** The handlers that ask graph hosts about a graph. */
function shapes(options: AssistantRoutesOptions): Pick<AssistantHandlers, Shapes> {
  const { ask } = options;
  const graphOf = async (call: Pick<AnyCall, 'principal' | 'params'>) => {
    const { assistant } = await named(options, { ...call, action: 'read' });
    return assistant.graph_id;
  };
  return {
    readAssistantGraph: async ({ principal, params, query }) => {
      const { nodes, edges } = await ask('graph', {
        graph_id: await graphOf({ principal, params }),
        xray: query.xray,
      });
      return { nodes: [...nodes], edges: [...edges] };
    },
    readAssistantSchemas: async (call) => ask('schemas', { graph_id: await graphOf(call) }),
    listSubgraphs: async ({ principal, params, query }) => {
      const graph_id = await graphOf({ principal, params });
      return (await ask('subgraphs', { graph_id, recurse: query.recurse })).subgraphs;
    },
    listSubgraphsBelow: async ({ principal, params, query }) => {
      const { namespace, assistant_id } = params;
      const graph_id = await graphOf({ principal, params: { assistant_id } });
      const { subgraphs } = await ask('subgraphs', { graph_id, namespace, recurse: query.recurse });
      if (Object.keys(subgraphs).length === 0)
        throw new Problem('not_found', 'The graph has no subgraph of this namespace.');
      return subgraphs;
    },
  };
}
