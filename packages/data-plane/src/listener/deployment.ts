import type {
  AssignedRevision,
  Assignment,
  Manifest,
  Observation,
  Phase,
  StatusReason,
} from '@roadstead/contracts';
import { createMask } from '@roadstead/agent-server';
import { type Log, Problem } from '@roadstead/kit';
import type { Artifacts } from '../builders/artifacts.ts';
import { buildRevision, type BuildOptions } from '../builders/node-builder.ts';
import type { Databases } from '../databases/databases.ts';
import { LogShipper } from '../logs/log-shipper.ts';
import type { Routes } from '../router/routes.ts';
import type { RunningDeployment, Runtime } from '../runtimes/runtime.ts';
import { type LocalState, planStep } from './assignment-plan.ts';
import type { ControlLink } from './control-link.ts';
import { withProjectEnvironment } from './project-environment.ts';

export interface DeploymentContext {
  readonly link: ControlLink;
  readonly runtime: Runtime;
  readonly artifacts: Artifacts;
  readonly databases: Databases;
  readonly routes: Routes;
  readonly agent_url: (slug: string) => string;
  readonly build: Pick<BuildOptions, 'npm_cache' | 'prefix' | 'operator'> & { readonly timeout_s: number };
  readonly log: Log;
}

const TAIL_LINES = 30;

/** One deployment on this machine: brings it, a step at a time, to its desired state, and reports what it sees. */
export class Deployment implements AsyncDisposable {
  readonly #context: DeploymentContext;
  readonly #environments = new Map<string, Readonly<Record<string, string>>>();
  readonly #serverLogs = new Map<string, LogShipper>();
  #assignment: Assignment;
  #running: RunningDeployment | undefined;
  #local: LocalState = {
    serving: undefined,
    reported_generation: 0,
    failed: undefined,
    open: false,
    purged: false,
  };
  #hasFailed = false;
  #target = new AbortController();
  #serving: { readonly revision: AssignedRevision; readonly manifest: Manifest } | undefined;

  constructor(context: DeploymentContext, assignment: Assignment) {
    this.#context = context;
    this.#assignment = assignment;
  }

  /** A newer desired state; a build for another target is given up. */
  assign(assignment: Assignment): void {
    const before = this.#assignment.revision?.id;
    this.#assignment = assignment;
    if (assignment.removed || assignment.revision?.id !== before) {
      this.#target.abort(new Problem('conflict', 'A newer desired state has come.'));
      this.#target = new AbortController();
    }
  }

  /** What artifacts it needs. */
  get digests(): string[] {
    return [this.#assignment.active?.artifact_digest, this.#assignment.revision?.artifact_digest].flatMap(
      (digest) => digest ?? [],
    );
  }

  /** Whether its last step went well and there are more until it serves what it served. */
  get isSettling(): boolean {
    return (
      this.#assignment.active !== null &&
      this.#local.serving === undefined &&
      !this.#assignment.removed &&
      !this.#hasFailed
    );
  }

  get isGone(): boolean {
    return this.#assignment.removed && planStep(this.#assignment, this.#local).kind === 'settled';
  }

  /** Does one step; false when nothing is left to do. */
  async step(signal: AbortSignal): Promise<boolean> {
    this.#hasFailed = true;
    const more = await this.#step(signal);
    this.#hasFailed = false;
    return more;
  }

  async #step(signal: AbortSignal): Promise<boolean> {
    const assignment = this.#assignment;
    const step = planStep(assignment, this.#local);
    switch (step.kind) {
      case 'settled':
        return false;
      case 'restore':
        if (assignment.active !== null) await this.#restore(assignment.active, signal);
        return true;
      case 'reach':
        if (assignment.revision !== null)
          await this.#reach(assignment, assignment.revision, AbortSignal.any([signal, this.#target.signal]));
        return true;
      case 'close':
        await this.#close();
        return true;
      case 'purge':
        await this.#context.databases.drop(assignment.deployment_id);
        this.#local = { ...this.#local, purged: true };
        return true;
      case 'report':
        await this.#report({ phase: 'switch', outcome: 'done' });
        this.#local = { ...this.#local, reported_generation: assignment.generation };
        return true;
      default:
        return step satisfies never;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#target.abort(new Problem('unavailable', 'The data plane stops.'));
    await this.#close();
  }

  /** From the cache, without starting anything: hosts start at the first call. */
  async #restore(revision: AssignedRevision, signal: AbortSignal): Promise<void> {
    const { artifacts } = this.#context;
    const { artifact_digest, artifact_url, config } = revision;
    if (artifact_digest === null || artifact_url === null)
      throw new Problem('internal', 'An active revision has no artifact.');
    await artifacts.fetch(artifact_digest, artifact_url, signal);
    const running = await this.#open();
    const spec = await this.#specOf(revision, artifact_digest);
    const known = await artifacts.manifest(artifact_digest, config.langgraph_config_path);
    if (known === undefined)
      await artifacts.keepManifest(
        artifact_digest,
        config.langgraph_config_path,
        await running.prepare(spec, signal),
      );
    else running.restore(spec, known);
    const manifest = known ?? (await artifacts.manifest(artifact_digest, config.langgraph_config_path));
    if (manifest !== undefined) await this.#switch(revision, manifest);
  }

  /** The whole way to a revision; what goes wrong is reported, and what served before goes on. */
  async #reach(assignment: Assignment, revision: AssignedRevision, signal: AbortSignal): Promise<void> {
    let phase: Phase = 'source';
    const tail: string[] = [];
    await using logs = this.#shipper(revision.id, 'build');
    const enter = async (next: Phase) => {
      phase = next;
      await this.#report({ phase, outcome: 'running' });
    };
    const say: BuildOptions['onLine'] = (line, level) => {
      tail.push(line);
      if (tail.length > TAIL_LINES) tail.shift();
      logs.add(line, level);
    };
    try {
      const digest = await this.#built(revision, { onPhase: enter, onLine: say, signal });
      await enter('start');
      const running = await this.#open();
      const spec = await this.#specOf(revision, digest);
      const manifest = await running.prepare(spec, signal);
      await enter('health');
      await this.#context.artifacts.keepManifest(digest, revision.config.langgraph_config_path, manifest);
      await enter('switch');
      await this.#switch({ ...revision, artifact_digest: digest }, manifest);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      const reason = this.#reasonOf(
        phase,
        error,
        [...tail, ...(this.#tails.get(revision.id) ?? [])].slice(-TAIL_LINES),
      );
      say(reason.message, 'ERROR');
      await this.#report({ phase, outcome: 'failed', reason });
      this.#local = {
        ...this.#local,
        failed: { revision_id: revision.id, generation: assignment.generation },
      };
    }
  }

  async #built(
    revision: AssignedRevision,
    on: Pick<BuildOptions, 'onPhase' | 'onLine' | 'signal'>,
  ): Promise<string> {
    const { artifacts, build } = this.#context;
    if (revision.artifact_digest !== null && revision.artifact_url !== null) {
      on.onLine('the artifact is built already', 'INFO');
      await artifacts.fetch(revision.artifact_digest, revision.artifact_url, on.signal);
      return revision.artifact_digest;
    }
    const late = AbortSignal.timeout(build.timeout_s * 1000);
    const signal = AbortSignal.any([on.signal, late]);
    const digest = await buildRevision({ ...build, ...on, revision, artifacts, signal }).catch(
      (error: unknown) => {
        throw late.aborted
          ? new Problem('invalid', `The build took longer than ${build.timeout_s} s.`)
          : error;
      },
    );
    await this.#report({ phase: 'build', outcome: 'running', artifact_digest: digest });
    return digest;
  }

  async #switch(revision: AssignedRevision, manifest: Manifest): Promise<void> {
    const running = await this.#open();
    await running.activate(revision.id);
    const { deployment_id, workspace_id, slug } = this.#assignment;
    this.#context.routes.set(slug, { deployment_id, workspace_id, running });
    this.#serving = { revision, manifest };
    this.#local = { ...this.#local, serving: revision.id };
  }

  async #open(): Promise<RunningDeployment> {
    const { deployment_id, workspace_id, name, slug } = this.#assignment;
    this.#running ??= await this.#context.runtime.open({
      deployment_id,
      workspace_id,
      name,
      slug,
      onHosts: () => this.#hostsChanged(),
      onLog: ({ revision_id, level, message, at }) => this.#serverLine(revision_id, level, message, at),
    });
    this.#local = { ...this.#local, open: true };
    return this.#running;
  }

  async #close(): Promise<void> {
    this.#context.routes.remove(this.#assignment.slug);
    await this.#running?.[Symbol.asyncDispose]();
    this.#running = undefined;
    this.#serving = undefined;
    this.#local = { ...this.#local, open: false, serving: undefined };
    await Promise.all([...this.#serverLogs.values()].map((logs) => logs[Symbol.asyncDispose]()));
    this.#serverLogs.clear();
  }

  async #specOf(revision: AssignedRevision, digest: string) {
    const given = await this.#context.link.environment(this.#assignment.deployment_id, revision.id);
    const folder = this.#context.artifacts.pathOf(digest);
    const config_path = revision.config.langgraph_config_path;
    const environment = await withProjectEnvironment(folder, config_path, given);
    this.#environments.set(revision.id, environment);
    return { revision_id: revision.id, folder, config_path, environment };
  }

  async #report(
    what: Pick<Observation, 'phase' | 'outcome'> & Partial<Pick<Observation, 'reason' | 'artifact_digest'>>,
  ): Promise<void> {
    const { deployment_id, generation, revision, slug, removed } = this.#assignment;
    const served = what.outcome === 'done' ? this.#serving : undefined;
    const accepted = await this.#context.link.observe(deployment_id, {
      generation,
      revision_id: removed ? null : (revision?.id ?? this.#local.serving ?? null),
      reason: null,
      artifact_digest: served?.revision.artifact_digest ?? null,
      manifest: served?.manifest ?? null,
      url: served === undefined ? null : this.#context.agent_url(slug),
      database_ready: this.#local.open,
      hosts: this.#running?.hosts() ?? 0,
      ...what,
    });
    if (!accepted) throw new Error('Another life of this listener has taken over.');
  }

  /** How many hosts there are is told, too; a lost telling is made good by the next. */
  #hostsChanged(): void {
    if (
      this.#local.serving === undefined ||
      this.#local.serving !== (this.#assignment.revision ?? this.#assignment.active)?.id
    )
      return;
    this.#report({ phase: 'switch', outcome: 'done' }).catch((error: unknown) =>
      this.#context.log.debug('the number of hosts was not told', { error }),
    );
  }

  readonly #tails = new Map<string, string[]>();
  #serverLine(
    revision_id: string,
    level: 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR',
    message: string,
    at: string,
  ): void {
    const tail = this.#tails.get(revision_id) ?? [];
    tail.push(message);
    this.#tails.set(revision_id, tail.slice(-TAIL_LINES));
    const logs = this.#serverLogs.get(revision_id) ?? this.#shipper(revision_id, 'server');
    this.#serverLogs.set(revision_id, logs);
    logs.add(message, level, at);
  }

  #shipper(revision_id: string, kind: 'build' | 'server'): LogShipper {
    const { link, log } = this.#context;
    const params = { ...link.params, deployment_id: this.#assignment.deployment_id };
    return new LogShipper({ client: link.client, params, revision_id, kind, mask: this.#mask, log });
  }

  readonly #mask = createMask(() => [...this.#environments.values()]);

  #reasonOf(phase: Phase, problem: Problem, log_tail: readonly string[]): StatusReason {
    return {
      phase,
      code: problem.code ?? `${phase}_failed`,
      message: this.#mask(problem.message),
      hint: problem.hint ?? null,
      log_tail: log_tail.map(this.#mask),
    };
  }
}
