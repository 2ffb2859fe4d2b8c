import type { HostLogLine, Manifest } from '@roadstead/contracts/host';
import { type CallerContext, Problem } from '@roadstead/kit';
import { createCardKeys } from './a2a/cards/card-key-store.ts';
import type { CardKey } from './a2a/cards/card-signing.ts';
import { trustOf } from './access/trust-rules.ts';
import { type Faces, openFaces, type Revision } from './agent-faces.ts';
import type { ActiveRevision } from './agent-handlers.ts';
import { tracingProject } from './assistants/tracing-project.ts';
import { graphConfigs } from './assistants/graph-configs.ts';
import { DueWork } from './due-work.ts';
import { webhookCheck, webhookSecrets } from './webhooks/webhook-rules.ts';
import type { ServingWebhooks } from './webhooks/webhook-loop.ts';
import type { AgentServer, AgentServerOptions, RevisionSpec } from './agent-server-options.ts';
import { openConnections } from './connections.ts';
import { type DeploymentLog, deploymentLog } from './deployment-log.ts';
import { LangGraph } from './langgraph/langgraph-api.ts';
import { checkedManifest } from './hosts/checked-manifest.ts';
import { startProblem } from './hosts/start-problem.ts';
import { loopbackInward } from './app/loopback-rules.ts';
import { AgentMetrics } from './info/agent-metrics.ts';
import { Engine } from './engine/engine.ts';
import type { EndedRun } from './runs/run.ts';
import { Tasks } from './tasks/tasks.ts';
import { tasksOfRuns } from './tasks/tasks-of-runs.ts';
import { HostProcess } from './hosts/host-process.ts';
import { hostProgram } from './hosts/host-program.ts';
import type { RunSink } from './hosts/run-sink.ts';
import { RevisionHosts } from './hosts/revision-hosts.ts';
import { createMask } from './masking.ts';
import { WebSockets } from './sockets/web-sockets.ts';

const SWITCH_DRAIN_MS = 180_000;
const STOP_DRAIN_MS = 10_000;
const START_MS = 60_000;
/** Opens the agent server of a deployment: its engine on its database, and its graph hosts. */
export async function openAgentServer(options: AgentServerOptions): Promise<AgentServer> {
  await using stack = new AsyncDisposableStack();
  const { db, searches, pgvector } = stack.use(await openConnections(options));
  const server = new RunningAgentServer(options);
  const shared = { db, log: options.log, mask: server.mask, expose_errors: options.config.expose_errors };
  const of_runs = tasksOfRuns();
  const engine: Engine = stack.use(
    await Engine.open({
      ...shared,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...of_runs,
      onFailure: (run, error) => server.log.failed(run, error),
      hosts: {
        run: (revision_id, { params, principal }) =>
          server.metrics.attempt(params, async () => server.hostsOf(revision_id).run(params, principal)),
        cancel: (revision_id, ref, why) => server.hostsOf(revision_id).cancel(ref, why),
        ask: async (revision_id, method, params) => server.hostsOf(revision_id).ask(method, params),
      },
      requireRunnable: () => server.requireRunnable(),
      store: { run: (operations, of) => langgraph.items.run(operations, of) },
    }),
  );
  stack.use(engine.onEnded((ended) => server.ended(ended)));
  const { log, outbound: fetch, secret_box: box } = options;
  const serving = () => server.servingWebhooks();
  const checkWebhook = webhookCheck({ serving, checkAddress: fetch.check });
  const langgraph: LangGraph = stack.use(
    new LangGraph({
      ...shared,
      searches,
      pgvector,
      epoch: engine.epoch,
      runs: engine,
      active: () => server.active(),
      checkWebhook,
    }),
  );
  const tasks = new Tasks(engine, { assistants: langgraph.assistants, searches, changes: of_runs.changes });
  const due = stack.use(
    await DueWork.open({
      engine,
      tasks,
      assistants: langgraph.assistants,
      fetch,
      box,
      log,
      loopback: (request) => server.callApp(request),
      serving,
      checkWebhook,
    }),
  );
  const card_key = createCardKeys(db).find;
  server.attach({ engine, tasks, due, langgraph, opened: stack.move(), card_key });
  return server;
}

class RunningAgentServer implements AgentServer {
  readonly metrics = new AgentMetrics();
  readonly mask = createMask(() => this.environments());
  readonly log: DeploymentLog;
  readonly #options: AgentServerOptions;
  readonly #revisions = new Map<string, Revision>();
  readonly #retiring = new Map<Revision, Promise<void>>();
  #active: Revision | undefined;
  readonly upgrade: AgentServer['upgrade'] = (...asked) => this.#faces.upgrade(...asked);
  readonly #sockets = new WebSockets();
  #hostCount = 0;
  readonly #processes = new Set<HostProcess>();
  #engine!: Engine;
  #due!: DueWork;
  #langgraph!: LangGraph;
  #opened!: AsyncDisposableStack;
  #faces!: Faces;

  constructor(options: AgentServerOptions) {
    this.#options = options;
    this.log = deploymentLog(options.onLog, this.mask);
  }

  attach({
    engine,
    tasks,
    due,
    langgraph,
    opened,
    card_key,
  }: {
    readonly engine: Engine;
    readonly tasks: Tasks;
    readonly due: DueWork;
    readonly langgraph: LangGraph;
    readonly opened: AsyncDisposableStack;
    readonly card_key: () => Promise<CardKey>;
  }): void {
    this.#engine = engine;
    this.#due = due;
    this.#langgraph = langgraph;
    this.#opened = opened;
    this.#faces = openFaces({
      options: this.#options,
      engine,
      tasks,
      due,
      metrics: this.metrics,
      card_key,
      langgraph,
      sockets: this.#sockets,
      active: () => this.#active,
      hosts: () => this.#hostCount,
      runs: () => this.#everyRevision().reduce((sum, { hosts }) => sum + hosts.load.runs, 0),
      logLine: (line) => this.#active && this.log.addMasked(this.#active.spec, 'INFO', line),
    });
  }

  active(): ActiveRevision | undefined {
    if (this.#active === undefined) return undefined;
    const { spec, manifest } = this.#active;
    const tracing_project = tracingProject(spec.environment);
    return { revision_id: spec.revision_id, project: spec.project, manifest, tracing_project };
  }

  servingWebhooks(): ServingWebhooks | undefined {
    const spec = this.#active?.spec;
    if (spec === undefined) return undefined;
    const { webhooks, http } = spec.project;
    return { settings: webhooks, disabled: http.disable_webhooks, environment: spec.environment };
  }

  environments(): Readonly<Record<string, string>>[] {
    return [...this.#revisions.values()].map((revision) => revision.spec.environment);
  }

  hostsOf(revision_id: string): RevisionHosts {
    const revision = this.#revisions.get(revision_id);
    if (revision === undefined) throw new Problem('unavailable', 'This revision has stopped.');
    return revision.hosts;
  }

  /** @throws Problem `unavailable` while the hosts of the revision that serves keep exiting */
  requireRunnable(): void {
    const refusal = this.#active?.hosts.refusal;
    if (refusal !== undefined) throw refusal;
  }

  ended(ended: EndedRun): void {
    this.metrics.ended(ended.end.status);
    if (ended.end.status === 'interrupted' && this.#active) this.log.cancelled(this.#active.spec, ended);
  }

  async prepare(spec: RevisionSpec, signal: AbortSignal): Promise<Manifest> {
    signal.throwIfAborted();
    // The secrets of its webhooks must exist before it serves, and so must the configs of its graphs.
    webhookSecrets(spec.project.webhooks, spec.environment);
    graphConfigs(spec.environment);
    const revision = this.#add(spec);
    try {
      revision.manifest = checkedManifest(await revision.hosts.describe(signal));
      return revision.manifest;
    } catch (error) {
      this.#forget(revision);
      await revision.hosts[Symbol.asyncDispose]();
      throw startProblem(error, this.mask);
    }
  }

  restore(spec: RevisionSpec, manifest: Manifest): void {
    this.#add(spec).manifest = manifest;
  }

  async activate(revision_id: string, signal: AbortSignal): Promise<void> {
    const revision = this.#revisions.get(revision_id);
    if (revision?.manifest === undefined)
      throw new Problem('conflict', 'This revision has not been prepared.');
    const { manifest, spec } = revision;
    await this.#langgraph.serve(manifest, { configs: graphConfigs(spec.environment), signal });
    // If it was aborted, the revision is stopped by now. From here on there is nothing to wait for.
    signal.throwIfAborted();
    const before = this.#active;
    this.#active = revision;
    this.#engine.activate(revision_id, manifest);
    this.#due.serve();
    revision.hosts.keep();
    if (before?.hosts.trouble !== revision.hosts.trouble) this.#options.onTrouble(revision.hosts.trouble);
    if (before !== undefined && before !== revision)
      void this.retire(before.spec.revision_id, SWITCH_DRAIN_MS);
  }

  async retire(revision_id: string, drain_ms: number): Promise<void> {
    const revision = this.#revisions.get(revision_id);
    if (revision === undefined) return;
    const retired = revision.hosts.drain(drain_ms).then(() => this.#forget(revision));
    this.#retiring.set(revision, retired);
    await retired.finally(() => this.#retiring.delete(revision));
  }

  routePolicy(headers: Headers): ReturnType<AgentServer['routePolicy']> {
    const { auth = null, http } = this.#active?.spec.project ?? {};
    const verifies = auth === null || trustOf(auth, headers) !== 'handler';
    return { verifies, cors: http?.cors ?? null };
  }

  fetch(request: Request, inward: CallerContext = {}): Promise<Response> {
    return this.#faces.fetch(request, inward);
  }

  /** Answers calls by the deployment's own code; without an `auth` of its own it acts as the deployment. */
  #loopback(request: Request): Promise<Response> {
    return this.fetch(request, loopbackInward(request, this.#options));
  }

  /** Calls the deployment's own app for a webhook of a run; without an `auth` of its own, as the deployment. */
  callApp(request: Request): Promise<Response> {
    return this.#faces.app(request, loopbackInward(request, this.#options));
  }

  hosts(): number {
    return this.#hostCount;
  }

  kill(): void {
    for (const process of this.#processes) process.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#engine.close();
    this.#sockets[Symbol.dispose]();
    await Promise.all(this.#everyRevision().map((revision) => revision.hosts.drain(STOP_DRAIN_MS)));
    await Promise.allSettled(this.#retiring.values());
    await this.#opened.disposeAsync();
  }

  #everyRevision(): Revision[] {
    return [...new Set([...this.#revisions.values(), ...this.#retiring.keys()])];
  }

  /** Unless it was prepared or restored again meanwhile. */
  #forget(revision: Revision): void {
    const { revision_id } = revision.spec;
    if (this.#revisions.get(revision_id) === revision) this.#revisions.delete(revision_id);
  }

  #add(spec: RevisionSpec): Revision {
    const { config, log } = this.#options;
    const sink = this.#sinkOf(spec, () => hosts);
    const hosts = new RevisionHosts({
      spawn: (handlers) => this.#spawn(spec, handlers),
      sink,
      jobs_per_host: config.jobs_per_host,
      max_hosts: config.max_hosts,
      min_hosts: config.min_hosts,
      idle_ms: config.idle_s * 1000,
      start_ms: START_MS,
      unresponsive_ms: config.unresponsive_s * 1000,
      memory_mb: config.host_memory_mb,
      onTrouble: (trouble) => {
        if (this.#active?.spec === spec) this.#options.onTrouble(trouble);
      },
      onHosts: (change) => {
        this.#hostCount += change;
        this.#options.onHosts(this.#hostCount);
      },
      onNotice: (level, message) => this.log.add(spec, level, message),
      log: log.with({ revision_id: spec.revision_id }),
    });
    const revision = { spec, hosts, manifest: undefined };
    this.#revisions.set(spec.revision_id, revision);
    return revision;
  }

  /** Routes messages of hosts: `done` to the hosts, `log` to the deployment's log, everything else to the engine. */
  #sinkOf(spec: RevisionSpec, hosts: () => RevisionHosts): RunSink {
    return {
      ask: (...asked) => this.#engine.sink.ask(...asked),
      tell: (method, params, blobs) => {
        if (method === 'done') hosts().settle(params as never, params as never);
        else if (method === 'log') {
          const { level, message } = params as HostLogLine;
          this.log.addMasked(spec, level, message);
        } else this.#engine.sink.tell(method, params, blobs);
      },
    };
  }

  #spawn(spec: RevisionSpec, handlers: RunSink): HostProcess {
    const { fence, writable_folder, config, public_url } = this.#options;
    const { host_memory_mb: memory_mb, host_cpus: cpus } = config;
    const process = new HostProcess({
      fence,
      ...hostProgram(spec, { writable_folder, limits: { memory_mb, cpus }, api_url: public_url() }),
      handlers,
      mask: this.mask,
      loopback: (request) => this.#loopback(request),
      onLine: (message, stream) => this.log.add(spec, stream === 'stderr' ? 'WARNING' : 'INFO', message),
    });
    this.#processes.add(process);
    void process.exited.then(() => this.#processes.delete(process));
    return process;
  }
}
