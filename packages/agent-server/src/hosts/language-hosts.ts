import type { AttemptRef, Description, EngineCalls, RunResult } from '@roadstead/contracts/host';
import {
  type Language,
  languageOf,
  partsByLanguage,
  type ProjectGraphs,
  type ProjectParts,
} from '@roadstead/contracts/langgraph-json';
import type { Problem } from '@roadstead/kit';
import type { AttemptResult } from './attempt-result.ts';
import type { Trouble } from './crash-rules.ts';
import type { BorrowedHost, RevisionHosts } from './revision-hosts.ts';

type Pool = Pick<
  RevisionHosts,
  | 'load'
  | 'trouble'
  | 'refusal'
  | 'describe'
  | 'keep'
  | 'run'
  | 'cancel'
  | 'ask'
  | 'borrow'
  | 'settle'
  | 'drain'
>;

/** All graph hosts of a revision: a pool for each language in which it has graphs, `auth`, an app or an embedder. */
export class LanguageHosts implements AsyncDisposable {
  readonly #project: ProjectGraphs;
  readonly #parts: ProjectParts;
  readonly #pools: ReadonlyMap<Language, Pool>;

  /** @param open makes the pool of a language; no host is started yet. */
  constructor(project: ProjectGraphs, open: (language: Language) => Pool) {
    this.#project = project;
    this.#parts = partsByLanguage(project);
    const languages = Object.keys(this.#parts) as Language[];
    this.#pools = new Map(languages.map((language) => [language, open(language)]));
  }

  /** How many runs all hosts have, and how many more they would take at once. */
  get load(): { readonly runs: number; readonly room: number } {
    const loads = this.#every().map(({ load }) => load);
    return {
      runs: loads.reduce((sum, { runs }) => sum + runs, 0),
      room: loads.reduce((sum, { room }) => sum + room, 0),
    };
  }

  get trouble(): Trouble | undefined {
    return this.#every().find(({ trouble }) => trouble !== undefined)?.trouble;
  }

  /** Why no run of the graph can begin for now; where no graph of the project is named, why none of any language can. */
  refusalOf(graph_id: string | undefined): Problem | undefined {
    if (graph_id !== undefined && Object.hasOwn(this.#project.graphs, graph_id))
      return this.#ofGraph(graph_id).refusal;
    const refusals = this.#every().map(({ refusal }) => refusal);
    return refusals.includes(undefined) ? undefined : refusals[0];
  }

  /** Whether runs of every language can begin. */
  get well(): boolean {
    return this.#every().every(({ refusal }) => refusal === undefined);
  }

  /** Starts a host of each language, if none runs, and asks what they loaded. */
  async describe(signal: AbortSignal): Promise<Description> {
    const all = [...this.#pools].map(
      async ([language, pool]) => [language, await pool.describe(signal)] as const,
    );
    return joinDescriptions(new Map(await Promise.all(all)), Object.keys(this.#project.graphs));
  }

  keep(): void {
    for (const pool of this.#every()) pool.keep();
  }

  run(...[params, principal, more]: Parameters<Pool['run']>): Promise<AttemptResult> {
    return this.#ofGraph(params.graph_id).run(params, principal, more);
  }

  cancel(ref: AttemptRef, why?: string): void {
    for (const pool of this.#every()) pool.cancel(ref, why);
  }

  ask<M extends keyof EngineCalls>(
    method: M,
    params: EngineCalls[M]['params'],
  ): Promise<EngineCalls[M]['result']> {
    return this.#answering(method, params).ask(method, params);
  }

  /** A host that has the project's own app. */
  borrowApp(): Promise<BorrowedHost> {
    return this.#with((part) => part.http.app !== null).borrow();
  }

  settle(ref: AttemptRef, outcome: RunResult): void {
    for (const pool of this.#every()) pool.settle(ref, outcome);
  }

  async drain(drain_ms: number): Promise<void> {
    await Promise.all(this.#every().map((pool) => pool.drain(drain_ms)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0);
  }

  #every(): Pool[] {
    return [...this.#pools.values()];
  }

  #answering(method: keyof EngineCalls, params: object): Pool {
    if ('graph_id' in params) return this.#ofGraph(String(params.graph_id));
    return method === 'embed'
      ? this.#with(({ store }) => store?.index !== undefined && store.index !== null)
      : this.#with(({ auth }) => auth !== null);
  }

  /** The pool of a graph; any pool says of a graph that it does not have. */
  #ofGraph(graph_id: string): Pool {
    const path = this.#project.graphs[graph_id]?.path;
    return this.#with((_part, language) => path !== undefined && languageOf(path) === language);
  }

  /** The pool whose part of the project has something; the first where none has. */
  #with(has: (part: ProjectGraphs, language: Language) => boolean): Pool {
    const all = [...this.#pools];
    const found = all.find(([language]) => {
      const part = this.#parts[language];
      return part !== undefined && has(part, language);
    });
    const [, pool] = found ?? all[0] ?? [];
    if (pool === undefined) throw new Error('A revision has at least one graph.');
    return pool;
  }
}

/** Joins the descriptions of the hosts of each language into one, with the graphs in the order of `langgraph.json`. */
function joinDescriptions(
  all: ReadonlyMap<Language, Description>,
  graph_ids: readonly string[],
): Description {
  const each = [...all.values()];
  const auth = each.find((one) => one.auth !== undefined)?.auth;
  const app = each.find((one) => one.app !== undefined)?.app;
  const python_version = all.get('python')?.langgraph_version;
  const place = ({ graph_id }: Description['graphs'][number]) => graph_ids.indexOf(graph_id);
  return {
    graphs: each.flatMap(({ graphs }) => graphs).toSorted((one, other) => place(one) - place(other)),
    ...(auth === undefined ? {} : { auth }),
    ...(app === undefined ? {} : { app }),
    langgraph_version: all.get('javascript')?.langgraph_version ?? null,
    ...(typeof python_version === 'string' ? { langgraph_py_version: python_version } : {}),
    ...(each.some(({ stores_deltas }) => stores_deltas === true) ? { stores_deltas: true } : {}),
  };
}
