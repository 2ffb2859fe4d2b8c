import type { RunConfig } from '@roadstead/contracts/agent-server';
import type { GraphDescription, Manifest } from '@roadstead/contracts/host';
import { assistantIdOf, Problem } from '@roadstead/kit';

/** An assistant whose graph the active revision has. */
export interface ServedAssistant {
  readonly assistant_id: string;
  readonly graph: GraphDescription;
  /** The settings with which its runs begin; absent where it has none. */
  readonly settings?: AssistantSettings;
  /** Whether a client made it: then not every caller need see it. */
  readonly is_made?: boolean;
}

interface AssistantSettings {
  readonly config: RunConfig;
  readonly context: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The active revision and its assistants. */
export class ServedRevision {
  revision_id: string | undefined;
  assistants: readonly ServedAssistant[] = [];

  activate(revision_id: string, manifest: Manifest): void {
    this.revision_id = revision_id;
    this.assistants = manifest.graphs.map((graph) => ({
      assistant_id: assistantIdOf(graph.graph_id),
      graph,
    }));
  }

  /** Finds an assistant by its id or its graph's id. */
  find(id: string): ServedAssistant | undefined {
    return this.assistants.find((one) => one.assistant_id === id || one.graph.graph_id === id);
  }

  /**
   * The revision that runs of a graph go to.
   * @throws Problem `unavailable`
   */
  read({ graph_id }: { readonly graph_id: string }): { readonly revision_id: string } {
    const served = this.assistants.some(({ graph }) => graph.graph_id === graph_id);
    if (this.revision_id === undefined || !served)
      throw new Problem('unavailable', 'No revision of this deployment is active.');
    return { revision_id: this.revision_id };
  }
}
