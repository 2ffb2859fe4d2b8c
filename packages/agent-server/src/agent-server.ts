import type { Manifest } from '@roadstead/contracts/host';
import type { CallerContext } from '@roadstead/http';
import type { Database } from '@roadstead/postgres';
import { createCardKeys } from './a2a/cards/card-key-store.ts';
import { trustOf } from './access/trust-rules.ts';
import { type Faces, openFaces } from './agent-faces.ts';
import { graphConfigs } from './assistants/graph-configs.ts';
import { StorageQuota } from './database/storage-quota.ts';
import { DueWork } from './due-work.ts';
import { webhookCheck, webhookSecrets } from './webhooks/webhook-rules.ts';
import type { AgentServer, AgentServerOptions, RevisionSpec } from './agent-server-options.ts';
import { openConnections } from './connections.ts';
import { LangGraph } from './langgraph/langgraph-api.ts';
import { Engine } from './engine/engine.ts';
import { type HostSurroundings, Revisions } from './revisions.ts';
import { Troubles } from './troubles.ts';
import { TaskChanges } from './tasks/task-changes.ts';
import { Tasks } from './tasks/tasks.ts';
import { tasksOfRuns } from './tasks/tasks-of-runs.ts';
import { AppSockets } from './app/app-sockets.ts';
import { WebSockets } from './sockets/web-sockets.ts';

const STOP_DRAIN_MS = 10_000;

/** Opens the agent server of a deployment: its engine on its database, and its graph hosts. */
export async function openAgentServer(options: AgentServerOptions): Promise<AgentServer> {
  await using stack = new AsyncDisposableStack();
  const { db, searches, pgvector } = stack.use(await openConnections(options));
  const troubles = new Troubles(options.onTrouble);
  const revisions = new Revisions({ ...options, onTrouble: (trouble) => troubles.set('hosts', trouble) });
  const { mask, metrics } = revisions;
  const { log, outbound: fetch, secret_box: box } = options;
  const shared = { db, log, mask, expose_errors: options.config.expose_errors };
  const quota = stack.use(storageQuotaOf({ db, log, revisions, troubles }));
  const changes = new TaskChanges();
  const engine = stack.use(
    await Engine.open({
      ...shared,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      tasks: tasksOfRuns(changes),
      onFailure: (run, error) => revisions.log.failed(run, error),
      hosts: revisions,
      requireRoom: () => quota.requireRoom(),
      store: { run: (operations, of) => langgraph.items.run(operations, of) },
    }),
  );
  stack.use(engine.onEnded((ended) => revisions.ended(ended)));
  const serving = () => revisions.servingWebhooks();
  const checkWebhook = webhookCheck({ serving, checkAddress: fetch.check });
  const langgraph: LangGraph = stack.use(
    new LangGraph({
      ...shared,
      searches,
      pgvector,
      epoch: engine.epoch,
      runs: engine,
      active: () => revisions.activeRevision(),
      checkWebhook,
    }),
  );
  const { assistants } = langgraph;
  const tasks = new Tasks(engine, { assistants, searches, changes });
  // Called for webhooks of runs; without an `auth` of its own, as the deployment.
  const loopback = (request: Request) => faces.app(request, loopbackInward(request, options));
  const due = stack.use(
    await DueWork.open({ engine, tasks, assistants, fetch, box, log, loopback, serving, checkWebhook }),
  );
  const sockets = new WebSockets();
  const app_sockets = new AppSockets();
  const faces: Faces = openFaces({
    options,
    engine,
    tasks,
    due,
    metrics,
    card_key: createCardKeys(db).find,
    langgraph,
    sockets,
    app_sockets,
    revisions,
  });
  return new RunningAgentServer(options, {
    revisions,
    engine,
    quota,
    due,
    langgraph,
    sockets: [sockets, app_sockets],
    faces,
    opened: stack.move(),
  });
}

interface StorageParts extends Pick<AgentServerOptions, 'log'> {
  readonly db: Database;
  readonly revisions: Revisions;
  readonly troubles: Troubles;
}

const storageQuotaOf = ({ db, log, revisions, troubles }: StorageParts): StorageQuota =>
  new StorageQuota({
    db,
    log,
    onTrouble: (trouble) => troubles.set('storage', trouble),
    onNotice: (level, message) => revisions.notice(level, message),
  });

interface AgentServerParts {
  readonly revisions: Revisions;
  readonly engine: Engine;
  readonly quota: StorageQuota;
  readonly due: DueWork;
  readonly langgraph: LangGraph;
  readonly sockets: readonly Disposable[];
  readonly faces: Faces;
  /** All of these, and what they stand on. */
  readonly opened: AsyncDisposableStack;
}

class RunningAgentServer implements AgentServer {
  readonly upgrade: AgentServer['upgrade'];
  readonly #parts: AgentServerParts;
  readonly #surroundings: HostSurroundings;

  constructor(options: AgentServerOptions, parts: AgentServerParts) {
    this.#parts = parts;
    const { engine, faces } = parts;
    this.upgrade = faces.upgrade;
    // Without an `auth` of its own the deployment's code acts as the deployment.
    const loopback = (request: Request) => faces.fetch(request, loopbackInward(request, options));
    this.#surroundings = { sink: engine.sink, loopback };
  }

  async prepare(spec: RevisionSpec, signal: AbortSignal): Promise<Manifest> {
    signal.throwIfAborted();
    // The secrets of its webhooks must exist before it serves, and so must the configs of its graphs.
    webhookSecrets(spec.project.webhooks, spec.environment);
    graphConfigs(spec.environment);
    return this.#parts.revisions.prepare(spec, { ...this.#surroundings, signal });
  }

  restore(spec: RevisionSpec, manifest: Manifest): void {
    this.#parts.revisions.restore(spec, { ...this.#surroundings, manifest });
  }

  async activate(revision_id: string, signal: AbortSignal): Promise<void> {
    const { revisions, langgraph, engine, quota, due } = this.#parts;
    const revision = revisions.readPrepared(revision_id);
    const { manifest, spec } = revision;
    await langgraph.serve(manifest, { configs: graphConfigs(spec.environment), signal });
    // If it was aborted, the revision is stopped by now. From here on there is nothing to wait for.
    signal.throwIfAborted();
    const before = revisions.activate(revision);
    engine.activate(revision_id, manifest);
    quota.set(spec.resources?.storage_bytes);
    due.serve();
    // Last: hosts that are drained send runs away, which the engine must know by then where to begin again.
    revisions.replace(before);
  }

  retire(revision_id: string, drain_ms: number): Promise<void> {
    return this.#parts.revisions.retire(revision_id, drain_ms);
  }

  routePolicy(headers: Headers): ReturnType<AgentServer['routePolicy']> {
    const { auth = null, http } = this.#parts.revisions.active?.spec.project ?? {};
    const verifies = auth === null || trustOf(auth, headers) !== 'handler';
    return { verifies, cors: http?.cors ?? null };
  }

  fetch(request: Request, inward: CallerContext = {}): Promise<Response> {
    return this.#parts.faces.fetch(request, inward);
  }

  hosts(): number {
    return this.#parts.revisions.hosts;
  }

  kill(): void {
    this.#parts.revisions.kill();
  }

  async close(drain_ms: number): Promise<void> {
    const { engine, sockets, revisions, opened } = this.#parts;
    engine.close();
    for (const open of sockets) open[Symbol.dispose]();
    await revisions.drain(drain_ms);
    await opened.disposeAsync();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close(STOP_DRAIN_MS);
  }
}

/**
 * The identity of the deployment's own code when it calls its deployment: the deployment, unless an `auth` identifies
 * it.
 */
function loopbackInward(
  { url }: Request,
  { workspace_id, deployment_id }: { readonly workspace_id: string; readonly deployment_id: string },
): CallerContext {
  const actor = `deployment:${deployment_id}`;
  return {
    path: new URL(url).pathname,
    identify: async () => ({ workspace_id, actor, scopes: ['agents:invoke'] }),
  };
}
