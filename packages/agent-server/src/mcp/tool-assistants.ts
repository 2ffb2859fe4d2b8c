import { Problem } from '@roadstead/kit';
import { callerOf } from '../access/access.ts';
import type { AccessRules } from '../access/caller.ts';
import { containmentOf } from '../access/filter-rules.ts';
import type { Assistants } from '../assistants/assistants.ts';
import type { ServedRevision } from '../engine/served-revision.ts';
import type { McpCall } from './mcp-routes.ts';
import type { ToolAssistant } from './tool-rules.ts';

/** The most assistants of clients that become tools: a model cannot choose from more. */
const MAX_MADE = 100;

export interface ToolAssistantsOptions {
  readonly assistants: Pick<Assistants, 'find' | 'search'>;
  /** The assistants of the graphs that are served. */
  readonly own: () => ServedRevision['assistants'];
  readonly access: AccessRules;
}

/**
 * The assistants that a caller has as tools: those of the graphs, which every caller who may run something here can
 * run, then those that clients made, as far as the caller sees them, the oldest first.
 */
export async function toolAssistants(
  { assistants, own, access }: ToolAssistantsOptions,
  { principal }: Pick<McpCall, 'principal'>,
): Promise<readonly ToolAssistant[]> {
  const graphs = own();
  const stored = await Promise.all(graphs.map(({ assistant_id }) => assistants.find(assistant_id)));
  const first = graphs.map(
    ({ assistant_id, graph: { graph_id } }, index) =>
      stored[index] ?? { assistant_id, graph_id, name: graph_id, description: null },
  );
  const page = { sort_by: 'created_at', sort_order: 'asc', limit: MAX_MADE, offset: 0 } as const;
  const within = await seen(access, principal);
  if (within === undefined) return first;
  const { found } = await assistants.search({ within: [within] }, page);
  const ids = new Set(graphs.map(({ assistant_id }) => assistant_id));
  const served = new Set(graphs.map(({ graph }) => graph.graph_id));
  return [...first, ...found.filter((one) => !ids.has(one.assistant_id) && served.has(one.graph_id))];
}

/** The JSON that an assistant's metadata must contain; undefined where the caller may see none. */
async function seen(access: AccessRules, principal: McpCall['principal']): Promise<object | undefined> {
  const value = { graph_id: null, metadata: {}, limit: MAX_MADE, offset: 0 };
  try {
    const { filters } = await access.authorize(callerOf(principal), {
      resource: 'assistants',
      action: 'search',
      value,
    });
    return containmentOf(filters);
  } catch (error) {
    // Any kind of refusal hides them.
    if (error instanceof Problem && error.kind !== 'unavailable') return undefined;
    throw error;
  }
}
