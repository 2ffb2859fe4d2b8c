import type { GraphDescription } from '@roadstead/contracts/host';
import { assistantIdOf, isUuid, Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { cancelReasons } from '../runs/cancel-reasons.ts';
import { losesHold } from '../access/refusal-rules.ts';
import type { Runs } from '../runs/runs.ts';
import type { Assistant, AssistantVersion } from './assistant.ts';
import type { GraphConfigs } from './graph-configs.ts';
import { type AssistantChange, changed, contentOf, isOfSystem, SYSTEM } from './assistant-rules.ts';
import {
  appendVersion,
  type AssistantFilter,
  type AssistantPage,
  countAssistants,
  deleteAssistant,
  findAssistant,
  insertAssistant,
  listOwn,
  listUnfinished,
  listVersions,
  lockAssistant,
  renewOwn,
  restoreVersion,
  searchAssistants,
} from './assistant-store.ts';
import type { Page } from '../database/page.ts';

export interface AssistantsOptions {
  readonly db: Database;
  /** Connections for queries over many rows. */
  readonly searches: Database;
  readonly runs: Pick<Runs, 'cancel' | 'ended'>;
  /** The graphs that are served now. */
  readonly graphs: () => readonly GraphDescription[];
}

/** An assistant that a caller may change, and whether they still see the result. */
export interface AssistantHold {
  readonly assistant_id: string;
  readonly isVisible: (assistant: Assistant) => boolean;
}

/** How many are cached: each run asks for its assistant, and nobody else writes them. */
const REMEMBERED = 1000;
const CANCEL_MS = 10_000;

/**
 * The assistants of a deployment. Each graph that is served has one of its own, whose id is derived from the graph's;
 * clients make others. `within` is what the metadata of one must contain for the caller to see it.
 */
export class Assistants {
  readonly #options: AssistantsOptions;
  readonly #remembered = new Map<string, Promise<Assistant | undefined>>();
  /** The ids of the assistants of the graphs that are served. */
  #own: ReadonlySet<string> = new Set();

  constructor(options: AssistantsOptions) {
    this.#options = options;
  }

  /**
   * Gives each graph that is served its own assistant with its configuration, and removes those of graphs that are
   * gone; if aborted before, it changes nothing.
   */
  async serve(
    graphs: readonly GraphDescription[],
    { configs = {}, signal }: { readonly configs?: GraphConfigs; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    await this.#options.db.transaction(async (tx) => {
      const served = new Set(graphs.map(({ graph_id }) => graph_id));
      for (const { assistant_id, graph_id } of await listOwn(tx, SYSTEM.created_by)) {
        const locked = await lockAssistant(tx, assistant_id);
        if (locked && assistantIdOf(graph_id) === assistant_id && !served.has(graph_id))
          await deleteAssistant(locked.tx, assistant_id);
      }
      for (const { graph_id, description } of graphs) {
        const assistant_id = assistantIdOf(graph_id);
        const named = { graph_id, name: graph_id, description, metadata: SYSTEM };
        const content = contentOf({ ...named, ...configs[graph_id] });
        if ((await insertAssistant(tx, { assistant_id, content })) === undefined)
          await renewOwn(tx, { assistant_id, content });
      }
      signal?.throwIfAborted();
    });
    this.#own = new Set(graphs.map(({ graph_id }) => assistantIdOf(graph_id)));
    this.#remembered.clear();
  }

  isOwn(assistant_id: string): boolean {
    return this.#own.has(assistant_id);
  }

  /** Finds an assistant by its id, or by the id of the graph whose own it is. */
  find(name: string): Promise<Assistant | undefined> {
    const assistant_id = isUuid(name) ? name.toLowerCase() : assistantIdOf(name);
    const known = this.#remembered.get(assistant_id);
    if (known !== undefined) return known;
    const found = findAssistant(this.#options.db, assistant_id);
    if (this.#remembered.size >= REMEMBERED) this.#remembered.clear();
    this.#remembered.set(assistant_id, found);
    found.then(
      (assistant) => assistant ?? this.#forget(assistant_id, found),
      () => this.#forget(assistant_id, found),
    );
    return found;
  }

  /** @throws Problem `not_found` */
  async read(name: string, isVisible: (assistant: Assistant) => boolean): Promise<Assistant> {
    const assistant = await this.find(name);
    if (assistant === undefined || !isVisible(assistant)) throw noAssistant();
    return assistant;
  }

  /**
   * Undefined where the id is taken.
   * @throws Problem `not_found` where no such graph is served
   */
  async create(
    given: AssistantChange & { readonly assistant_id?: string | null | undefined; readonly graph_id: string },
  ): Promise<Assistant | undefined> {
    this.#requireGraph(given.graph_id);
    const content = contentOf(given);
    const assistant_id = given.assistant_id?.toLowerCase() ?? uuidv7();
    const created = await this.#options.db.transaction((tx) =>
      insertAssistant(tx, { assistant_id, content }),
    );
    this.#remembered.delete(assistant_id);
    return created;
  }

  /** @throws Problem `not_found`; `forbidden` where the caller would not see it any more */
  async patch({ assistant_id, isVisible }: AssistantHold, change: AssistantChange): Promise<Assistant> {
    if (change.graph_id) this.#requireGraph(change.graph_id);
    return this.#change(assistant_id, async ({ tx, assistant }) =>
      kept(await appendVersion(tx, { assistant_id, content: changed(assistant, change) }), isVisible),
    );
  }

  /** @throws Problem `not_found`; `forbidden` where the caller would not see it any more */
  async setVersion({ assistant_id, isVisible }: AssistantHold, version: number): Promise<Assistant> {
    return this.#change(assistant_id, async ({ tx }) => {
      const restored = await restoreVersion(tx, { assistant_id, version });
      if (restored === undefined) throw new Problem('not_found', `The assistant has no version ${version}.`);
      return kept(restored, isVisible);
    });
  }

  listVersions(
    assistant_id: string,
    asked: Page & { readonly within: readonly object[] },
  ): Promise<AssistantVersion[]> {
    return listVersions(this.#options.db, { assistant_id, ...asked });
  }

  /**
   * Removes an assistant with its versions and runs.
   * @throws Problem `not_found`; `conflict` for the one that belongs to a graph
   */
  async remove(assistant_id: string): Promise<void> {
    const { db, runs } = this.#options;
    const assistant = await findAssistant(db, assistant_id);
    if (assistant === undefined) throw noAssistant();
    if (isOfSystem(assistant) && assistant_id === assistantIdOf(assistant.graph_id))
      throw new Problem('conflict', 'This assistant belongs to its graph, and goes with it.');
    const late = AbortSignal.timeout(CANCEL_MS);
    for (const run_id of await listUnfinished(db, assistant_id))
      if (await runs.cancel(run_id, { action: 'interrupt', reason: cancelReasons.assistant_deleted }))
        await runs.ended(run_id, late).catch(() => undefined);
    await this.#change(assistant_id, async ({ tx }) => deleteAssistant(tx, assistant_id));
  }

  async search(
    filter: AssistantFilter,
    page: AssistantPage,
  ): Promise<{ readonly found: readonly Assistant[]; readonly total: number }> {
    return searchAssistants(this.#options.searches, { filter, page });
  }

  count(filter: AssistantFilter): Promise<number> {
    return countAssistants(this.#options.searches, filter);
  }

  async #change<T>(
    assistant_id: string,
    work: (locked: NonNullable<Awaited<ReturnType<typeof lockAssistant>>>) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#options.db.transaction(async (tx) => {
        const locked = await lockAssistant(tx, assistant_id);
        if (locked === undefined) throw noAssistant();
        return work(locked);
      });
    } finally {
      this.#remembered.delete(assistant_id);
    }
  }

  #forget(assistant_id: string, found: Promise<Assistant | undefined>): void {
    if (this.#remembered.get(assistant_id) === found) this.#remembered.delete(assistant_id);
  }

  #requireGraph(graph_id: string): void {
    const names = this.#options.graphs().map((graph) => graph.graph_id);
    if (names.includes(graph_id)) return;
    const known = names.map((name) => JSON.stringify(name)).join(', ');
    throw new Problem('not_found', `No graph ${JSON.stringify(graph_id)} is served; there are ${known}.`);
  }
}

/** Requires that the caller still sees the changed assistant: nobody hands one to somebody else. */
function kept(assistant: Assistant, isVisible: AssistantHold['isVisible']): Assistant {
  if (isVisible(assistant)) return assistant;
  throw losesHold();
}

const noAssistant = () => new Problem('not_found', 'There is no such assistant.');
