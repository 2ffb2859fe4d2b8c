import type {
  assistantEndpoints,
  eventStreamEndpoints,
  runEndpoints,
  runStreamEndpoints,
  storeEndpoints,
  threadEndpoints,
  threadStateEndpoints,
} from '@roadstead/contracts/agent-server';
import type { Manifest } from '@roadstead/contracts/host';
import type { ProjectSettings } from '@roadstead/contracts/langgraph-json';
import type { Handlers } from '@roadstead/http';
import type { Log } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { AccessRules } from '../access/caller.ts';
import { Assistants } from '../assistants/assistants.ts';
import type { GraphConfigs } from '../assistants/graph-configs.ts';
import { Retention } from '../retention/retention-loop.ts';
import type { ErrorRules } from '../runs/error-rules.ts';
import { retryOutages } from '../database/outages.ts';
import type { Run } from '../runs/run.ts';
import type { Runs } from '../runs/runs.ts';
import { Items } from '../store/items.ts';
import type { Pgvector } from '../store/pgvector.ts';
import { ThreadStates } from '../threads/thread-states.ts';
import { Threads } from '../threads/threads.ts';
import { createAssistantHandlers } from './assistants/assistants-routes.ts';
import type { RunCall, RunFace } from './runs/run-face.ts';
import type { EventStreamFace } from './event-stream/event-stream-face.ts';
import { createEventStreamHandlers } from './event-stream/event-stream-routes.ts';
import { createRunHandlers } from './runs/runs-routes.ts';
import { type RunStart, startRun } from './runs/run-start.ts';
import { createStreamHandlers } from './runs/run-streams-routes.ts';
import { createStoreHandlers } from './store/store-items-routes.ts';
import { createThreadHandlers } from './threads/threads-routes.ts';
import { createThreadStateHandlers } from './threads/thread-states-routes.ts';

export interface LangGraphOptions extends ErrorRules {
  readonly db: Database;
  /** Connections for queries over many rows. */
  readonly searches: Database;
  readonly pgvector: Pgvector | undefined;
  /** The engine's epoch. */
  readonly epoch: number;
  readonly runs: Runs;
  /** The revision that serves; undefined before there is one. */
  readonly active: () =>
    | {
        readonly manifest: Manifest | undefined;
        readonly project: ProjectSettings;
        readonly tracing_project: string | null;
      }
    | undefined;
  /** @throws Problem where a run may not name this webhook */
  readonly checkWebhook: (url: string) => void;
  readonly log: Log;
}

/** Assistants, threads, runs and the store of a deployment, and their retention. */
export class LangGraph implements AsyncDisposable {
  readonly assistants: Assistants;
  readonly threads: Threads;
  readonly states: ThreadStates;
  readonly items: Items;
  readonly #options: LangGraphOptions;
  readonly #retention: Retention;
  readonly #stop = new AbortController();

  constructor(options: LangGraphOptions) {
    this.#options = options;
    const { db, searches, pgvector, epoch, runs, active, mask, expose_errors, log } = options;
    const graphs = () => active()?.manifest?.graphs ?? [];
    const onExpiry = () => this.#retention.wake();
    this.assistants = new Assistants({ db, searches, runs, graphs });
    const isServed = (graph_id: string) => graphs().some((graph) => graph.graph_id === graph_id);
    this.states = new ThreadStates({ db, runs, isServed, mask, expose_errors, log });
    this.threads = new Threads({ db, searches, epoch, runs, states: this.states, onExpiry });
    this.items = new Items({
      db,
      searches,
      pgvector,
      onExpiry,
      settings: () => active()?.project.store ?? null,
      ask: (method, params) => runs.ask(method, params),
    });
    this.#retention = new Retention({
      searches,
      epoch,
      runs,
      log,
      threads: this.threads,
      settings: () => ({
        threads: active()?.project.checkpointer?.ttl ?? null,
        items_sweep_minutes: active()?.project.store?.ttl?.sweep_interval_minutes ?? null,
      }),
    });
  }

  /** Gives the graphs that serve from here on their assistants, waiting out an outage of the database. */
  async serve(
    { graphs }: Manifest,
    { configs, signal }: { readonly configs: GraphConfigs; readonly signal: AbortSignal },
  ): Promise<void> {
    const closed = AbortSignal.any([signal, this.#stop.signal]);
    await retryOutages(() => this.assistants.serve(graphs, { configs, signal }), { closed });
    this.#retention.wake();
  }

  handlers(access: AccessRules): Handlers<Endpoints> {
    const { assistants, threads, states, items } = this;
    const { runs } = this.#options;
    const face = this.eventStream(access);
    return {
      ...createAssistantHandlers({
        assistants,
        threads,
        access,
        ask: (method, params) => runs.ask(method, params),
      }),
      ...createThreadHandlers({ threads, states, access }),
      ...createThreadStateHandlers({ threads, states, access }),
      ...createStoreHandlers({ items, access }),
      ...createRunHandlers(face),
      ...createStreamHandlers(face),
      ...createEventStreamHandlers(face),
    };
  }

  eventStream(access: AccessRules): EventStreamFace {
    const { threads, states } = this;
    return { ...this.#runFace(access), threads, states };
  }

  /** Begins a run for another face, as a call of the LangGraph API would. */
  startRun({ access, ...call }: RunCall & { readonly access: AccessRules }, start: RunStart): Promise<Run> {
    return startRun(this.#runFace(access), call, start);
  }

  #runFace(access: AccessRules): RunFace {
    const { assistants, threads } = this;
    const { db, runs, active, checkWebhook } = this.#options;
    return {
      db,
      runs,
      access,
      assistants,
      threads,
      checkWebhook,
      http: () => active()?.project.http,
      tracing_project: () => active()?.tracing_project ?? null,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#retention[Symbol.asyncDispose]();
  }
}

type Endpoints = typeof assistantEndpoints &
  typeof eventStreamEndpoints &
  typeof runEndpoints &
  typeof runStreamEndpoints &
  typeof threadEndpoints &
  typeof threadStateEndpoints &
  typeof storeEndpoints;
