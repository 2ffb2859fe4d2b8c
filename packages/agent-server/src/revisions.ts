import type { AttemptRef, EngineCalls, HostLogLine, Manifest } from '@roadstead/contracts/host';
import type { Language } from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit';
import type { ActiveRevision } from './agent-handlers.ts';
import type { AgentLogLine, AgentServerOptions, RevisionSpec } from './agent-server-options.ts';
import { tracingProject } from './assistants/tracing-project.ts';
import { type DeploymentLog, deploymentLog } from './deployment-log.ts';
import type { HostedAttempt, RunHosts } from './engine/engine-options.ts';
import type { AttemptResult } from './hosts/attempt-result.ts';
import { checkedManifest } from './hosts/checked-manifest.ts';
import type { Trouble } from './hosts/crash-rules.ts';
import { HostProcess } from './hosts/host-process.ts';
import { LanguageHosts } from './hosts/language-hosts.ts';
import { OnceLines } from './hosts/once-lines.ts';
import { RevisionHosts } from './hosts/revision-hosts.ts';
import type { RunSink } from './hosts/run-sink.ts';
import { startProblem } from './hosts/start-problem.ts';
import { AgentMetrics } from './info/agent-metrics.ts';
import { createMask } from './masking.ts';
import type { EndedRun } from './runs/run.ts';
import type { ServingWebhooks } from './webhooks/webhook-loop.ts';

const MIDDLEWARE =
  'http.app has middleware: it runs for the addresses of the app alone, not for those of the API.';
const SWITCH_DRAIN_MS = 180_000;

/** A revision that was prepared. */
export interface Revision {
  readonly spec: RevisionSpec;
  readonly hosts: LanguageHosts;
  manifest: Manifest | undefined;
}

interface PreparedRevision extends Revision {
  manifest: Manifest;
}

/** Port: what the graph hosts of a revision reach. */
export interface HostSurroundings {
  /** Answers their questions and takes their reports. */
  readonly sink: RunSink;
  /** Answers calls of their code to its own deployment. */
  readonly loopback: (request: Request) => Promise<Response>;
}

/** The part of a revision that is in one language. */
interface HostedLanguage {
  readonly spec: RevisionSpec;
  readonly language: Language;
  /** The trouble that the hosts of any of its languages are in. */
  readonly trouble: () => Trouble | undefined;
}

/** The revisions of one deployment with their graph hosts, one of which serves. */
export class Revisions implements RunHosts {
  readonly metrics = new AgentMetrics();
  readonly mask = createMask(() => [...this.#revisions.values()].map(({ spec }) => spec.environment));
  readonly log: DeploymentLog;
  readonly #options: AgentServerOptions;
  readonly #revisions = new Map<string, Revision>();
  readonly #retiring = new Map<Revision, Promise<void>>();
  readonly #processes = new Set<HostProcess>();
  #active: Revision | undefined;
  #hostCount = 0;

  constructor(options: AgentServerOptions) {
    this.#options = options;
    this.log = deploymentLog(options.onLog, this.mask);
  }

  /** The revision that serves. */
  get active(): Revision | undefined {
    return this.#active;
  }

  activeRevision(): ActiveRevision | undefined {
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

  /** The number of graph hosts. */
  get hosts(): number {
    return this.#hostCount;
  }

  /** The number of runs on hosts, including those of revisions that are ending. */
  get runs(): number {
    return this.#everyRevision().reduce((sum, { hosts }) => sum + hosts.load.runs, 0);
  }

  run(revision_id: string, { params, principal, moves }: HostedAttempt): Promise<AttemptResult> {
    return this.metrics.attempt(params, async () =>
      this.#hostsOf(revision_id).run(params, principal, { moves }),
    );
  }

  cancel(revision_id: string, { why, ...ref }: AttemptRef & { readonly why: string | undefined }): void {
    this.#hostsOf(revision_id).cancel(ref, why);
  }

  async ask<M extends keyof EngineCalls>(
    revision_id: string,
    method: M,
    params: EngineCalls[M]['params'],
  ): Promise<EngineCalls[M]['result']> {
    return this.#hostsOf(revision_id).ask(method, params);
  }

  /** @throws Problem `unavailable` while the hosts of the revision that serves keep exiting: of the graph, if one is named */
  requireRunnable(graph_id?: string): void {
    const refusal = this.#active?.hosts.refusalOf(graph_id);
    if (refusal !== undefined) throw refusal;
  }

  ended(ended: EndedRun): void {
    this.metrics.ended(ended.end.status);
    if (ended.end.status === 'interrupted' && this.#active) this.log.cancelled(this.#active.spec, ended);
  }

  /** Writes a line to the log of the revision that serves. */
  logLine(line: string): void {
    if (this.#active !== undefined) this.log.addMasked(this.#active.spec, 'INFO', line);
  }

  /** Writes a line of ours to the log of the revision that serves. */
  notice(level: AgentLogLine['level'], message: string): void {
    if (this.#active !== undefined) this.log.add(this.#active.spec, level, message);
  }

  /** Starts a host and asks what it loaded; one that does not start, or whose start is aborted, leaves nothing running. */
  async prepare(
    spec: RevisionSpec,
    { signal, ...surroundings }: HostSurroundings & { readonly signal: AbortSignal },
  ): Promise<Manifest> {
    const revision = this.#add(spec, surroundings);
    try {
      revision.manifest = checkedManifest(await revision.hosts.describe(signal));
      if (revision.manifest.app?.has_middleware === true) this.log.add(spec, 'WARNING', MIDDLEWARE);
      return revision.manifest;
    } catch (error) {
      this.#forget(revision);
      await revision.hosts[Symbol.asyncDispose]();
      throw startProblem(error, this.mask);
    }
  }

  /** Takes a revision that an earlier process prepared: its hosts start at the first call. */
  restore(
    spec: RevisionSpec,
    { manifest, ...surroundings }: HostSurroundings & Pick<PreparedRevision, 'manifest'>,
  ): void {
    this.#add(spec, surroundings).manifest = manifest;
  }

  /** @throws Problem `conflict` for one that has not been prepared */
  readPrepared(revision_id: string): PreparedRevision {
    const revision = this.#revisions.get(revision_id);
    if (!isPrepared(revision)) throw new Problem('conflict', 'This revision has not been prepared.');
    return revision;
  }

  /** From here on the revision serves; the one before drains. */
  activate(revision: Revision): Revision | undefined {
    const before = this.#active;
    this.#active = revision;
    return before;
  }

  /** Keeps hosts of the active revision ready, and retires the one before it. */
  replace(before: Revision | undefined): void {
    const revision = this.#active;
    if (revision === undefined) return;
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

  /** Stops the hosts of all revisions. */
  async drain(drain_ms: number): Promise<void> {
    await Promise.all(this.#everyRevision().map((revision) => revision.hosts.drain(drain_ms)));
    await Promise.allSettled(this.#retiring.values());
  }

  /** Ends all hosts at once; they are gone when `hosts` says so. */
  kill(): void {
    for (const process of this.#processes) process.kill();
  }

  #hostsOf(revision_id: string): LanguageHosts {
    const revision = this.#revisions.get(revision_id);
    if (revision === undefined) throw new Problem('unavailable', 'This revision has stopped.');
    return revision.hosts;
  }

  #everyRevision(): Revision[] {
    return [...new Set([...this.#revisions.values(), ...this.#retiring.keys()])];
  }

  /** Unless it was prepared or restored again meanwhile. */
  #forget(revision: Revision): void {
    const { revision_id } = revision.spec;
    if (this.#revisions.get(revision_id) === revision) this.#revisions.delete(revision_id);
  }

  #add(spec: RevisionSpec, { sink: engine, loopback }: HostSurroundings): Revision {
    const sink = this.#sinkOf(spec, { engine, hosts: () => hosts });
    const hosts: LanguageHosts = new LanguageHosts(spec.project, (language) =>
      this.#poolOf({ spec, language, trouble: () => hosts.trouble }, { sink, loopback }),
    );
    const revision = { spec, hosts, manifest: undefined };
    this.#revisions.set(spec.revision_id, revision);
    return revision;
  }

  #poolOf({ spec, language, trouble }: HostedLanguage, { sink, loopback }: HostSurroundings): RevisionHosts {
    const { config, log } = this.#options;
    const { min_hosts, max_hosts, memory_mb } = this.#resourcesOf(spec);
    return new RevisionHosts({
      spawn: (handlers) => this.#spawn({ spec, language }, { sink: handlers, loopback }),
      sink,
      jobs_per_host: config.jobs_per_host,
      max_hosts,
      min_hosts,
      idle_ms: config.idle_s * 1000,
      start_ms: config.start_s * 1000,
      unresponsive_ms: config.unresponsive_s * 1000,
      memory_mb,
      own_limit: spec.resources?.memory_mb === undefined ? undefined : 'queue_memory_limit_mb',
      onTrouble: () => {
        if (this.#active?.spec === spec) this.#options.onTrouble(trouble());
      },
      onHosts: (change) => {
        this.#hostCount += change;
        this.#options.onHosts(this.#hostCount);
      },
      onNotice: (level, message) => this.log.add(spec, level, message),
      log: log.with({ revision_id: spec.revision_id }),
    });
  }

  #resourcesOf({ resources = {} }: RevisionSpec) {
    const { config } = this.#options;
    return {
      memory_mb: resources.memory_mb ?? config.host_memory_mb,
      cpus: resources.cpus ?? config.host_cpus,
      min_hosts: resources.min_hosts ?? config.min_hosts,
      max_hosts: resources.max_hosts ?? config.max_hosts,
    };
  }

  /** Routes messages of hosts: `done` to the hosts, `log` to the deployment's log, everything else to the engine. */
  #sinkOf(
    spec: RevisionSpec,
    { engine, hosts }: { readonly engine: RunSink; readonly hosts: () => LanguageHosts },
  ): RunSink {
    const lines = new OnceLines();
    const write = ({ level, message, once }: HostLogLine) => {
      if (lines.passes(once)) this.log.addMasked(spec, level, message);
    };
    return {
      ask: (question, beside) => engine.ask(question, beside),
      tell: (told, blobs) => {
        if (told.method === 'done') hosts().settle(told.params, told.params);
        else if (told.method === 'log') write(told.params);
        else engine.tell(told, blobs);
      },
    };
  }

  #spawn(
    { spec, language }: Omit<HostedLanguage, 'trouble'>,
    { sink, loopback }: HostSurroundings,
  ): HostProcess {
    const { launcher, deployment_id, name, writable_folder, public_url, startOf } = this.#options;
    const { memory_mb, cpus } = this.#resourcesOf(spec);
    const limits = { memory_mb, cpus };
    const names = { deployment_id, revision_id: spec.revision_id, name };
    const onHindrance = startOf?.(spec.revision_id);
    const api_url = public_url();
    const order = { names, revision: spec, language, writable_folder, limits, api_url, onHindrance };
    const process = new HostProcess({
      launched: launcher.launch(order),
      memory_mb,
      handlers: sink,
      mask: this.mask,
      loopback,
      onLine: (message, stream) => this.log.add(spec, stream === 'stderr' ? 'WARNING' : 'INFO', message),
    });
    this.#processes.add(process);
    void process.exited.then(() => this.#processes.delete(process));
    return process;
  }
}

const isPrepared = (revision: Revision | undefined): revision is PreparedRevision =>
  revision?.manifest !== undefined;
