import type { GraphDescription } from '@roadstead/contracts/host';
import type { Assistant } from '../assistants/assistant.ts';
import type { ServedAssistant, ServedRevision } from '../engine/served-revision.ts';

/**
 * Finds the assistant that messages address by its id or its graph's id: a graph's own, or one that a client made;
 * undefined where there is none, or its graph is not served.
 */
export async function servedAssistant(
  name: string,
  {
    serving,
    find,
  }: {
    readonly serving: Pick<ServedRevision, 'find'>;
    readonly find: (name: string) => Promise<Assistant | undefined>;
  },
): Promise<ServedAssistant | undefined> {
  const own = serving.find(name);
  const stored = await find(own?.assistant_id ?? name);
  if (stored === undefined) return own;
  const graph = serving.find(stored.graph_id)?.graph;
  if (graph === undefined) return undefined;
  const { assistant_id, config, context, metadata } = stored;
  const settings = { config, context, metadata };
  if (own !== undefined) return { assistant_id, graph, settings };
  return { assistant_id, graph: shownAs(graph, stored), settings, is_made: true };
}

/**
 * The graph's card in the assistant's words. A public card of the graph does not make those of client-made assistants
 * public.
 */
function shownAs(graph: GraphDescription, { name, description }: Assistant): GraphDescription {
  return {
    ...graph,
    description: description ?? graph.description,
    card: { ...graph.card, name, ...(description === null ? {} : { description }), public: false },
  };
}
