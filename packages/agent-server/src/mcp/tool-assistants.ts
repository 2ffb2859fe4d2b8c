import { Problem } from '@roadstead/kit';
import { callerOf } from '../access/access.ts';
import type { AccessRules } from '../access/caller.ts';
import { containmentOf } from '../access/filter-rules.ts';
import type { Assistants } from '../assistants/assistants.ts';
import type { Serving } from '../engine/serving.ts';
import type { McpCall } from './mcp-routes.ts';
import type { ToolAssistant } from './tool-rules.ts';

/** More tools than a model can choose from. */
const MAX_MADE = 100;

export interface ToolAssistantsOptions {
  readonly assistants: Pick<Assistants, 'find' | 'search'>;
  /** Those that the graphs which serve have of their own. */
  readonly own: () => Serving['assistants'];
  readonly access: AccessRules;
}

/**
 * The assistants that are tools of a caller: those of the graphs, which anybody who may run something here can run, and then
 * those that clients made, as far as the caller sees them, the oldest first.
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

/** What the metadata of an assistant must contain; undefined where the caller may see none. */
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
    // Refused in whatever way: nothing is shown.
    if (error instanceof Problem && error.kind !== 'unavailable') return undefined;
    throw error;
  }
}
