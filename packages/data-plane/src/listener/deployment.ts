import type { AssignedRevision, Assignment, Manifest, Observation } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { DeploymentLogs } from '../logs/deployment-logs.ts';
import type { RunningDeployment } from '../runtimes/runtime.ts';
import { type LocalState, planStep, untouched } from './assignment-plan.ts';
import type { DeploymentContext } from './deployment-context.ts';
import { withProjectEnvironment } from './project-environment.ts';
import { type Failure, reachRevision } from './revision-attempt.ts';

/** One deployment on this machine: brings it, a step at a time, to its desired state, and reports what it sees. */
export class Deployment implements AsyncDisposable {
  readonly #context: DeploymentContext;
  readonly #logs: DeploymentLogs;
  /** Digests of what was built in this life, by revision: a pass that is done again builds nothing again. */
  readonly #built = new Map<string, string>();
  #assignment: Assignment;
  #running: RunningDeployment | undefined;
  #local: LocalState = untouched;
  #hasFailed = false;
  #target = new AbortController();
  #serving: { readonly revision: AssignedRevision; readonly manifest: Manifest } | undefined;
  #failure: Failure | undefined;

  constructor(context: DeploymentContext, assignment: Assignment) {
    this.#context = context;
    this.#assignment = assignment;
    const { link, log } = context;
    const params = { ...link.params, deployment_id: assignment.deployment_id };
    this.#logs = new DeploymentLogs({ client: link.client, params, log });
  }

  /** A newer desired state; a build for another target is given up. */
  assign(assignment: Assignment): void {
    const before = this.#assignment.revision?.id;
    this.#assignment = assignment;
    this.#local = { ...this.#local, lost: undefined };
    if (assignment.removed || assignment.revision?.id !== before) {
      this.#target.abort(new Problem('conflict', 'A newer desired state has come.'));
      this.#target = new AbortController();
    }
  }

  /** What artifacts it needs. */
  get digests(): string[] {
    const { active, revision } = this.#assignment;
    return [
      active?.artifact_digest,
      revision?.artifact_digest,
      this.#serving?.revision.artifact_digest,
      this.#built.get(revision?.id ?? ''),
    ].flatMap((digest) => digest ?? []);
  }

  /** Whether it is on its way to serve what it served; one whose last step went wrong is not. */
  get isSettling(): boolean {
    return !this.#hasFailed && planStep(this.#assignment, this.#local).kind === 'restore';
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
        await this.#context.runtime.forget(assignment.deployment_id);
        this.#local = { ...this.#local, purged: true };
        return true;
      case 'report':
        await this.#report(
          assignment,
          step.what === 'failed' && this.#failure !== undefined
            ? { outcome: 'failed', ...this.#failure }
            : { phase: 'switch', outcome: 'done' },
        );
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
    const { artifacts, log } = this.#context;
    const { artifact_digest, artifact_url, config } = revision;
    try {
      if (artifact_digest === null || artifact_url === null)
        throw new Problem('internal', 'An active revision has no artifact.');
      await artifacts.fetch(artifact_digest, artifact_url, signal);
      const running = await this.#open();
      const spec = await this.#specOf(revision, artifact_digest);
      const path = config.langgraph_config_path;
      const known = await artifacts.manifest(artifact_digest, path);
      const manifest = known ?? (await running.prepare(spec, signal));
      if (known === undefined) await artifacts.keepManifest(artifact_digest, path, manifest);
      else running.restore(spec, known);
      await this.#switch(revision, manifest);
    } catch (error) {
      if (signal.aborted || !(error instanceof Problem)) throw error;
      const { deployment_id } = this.#assignment;
      log.error('the active revision can not be brought back', {
        deployment_id,
        revision_id: revision.id,
        error,
      });
      this.#context.routes.remove(this.#assignment.slug);
      this.#local = { ...this.#local, lost: revision.id };
    }
  }

  /** The whole way to a revision; when it goes wrong, what served before goes on. */
  async #reach(assignment: Assignment, revision: AssignedRevision, signal: AbortSignal): Promise<void> {
    const end = await reachRevision(this.#context, {
      revision,
      signal,
      built: this.#built,
      logs: this.#logs,
      open: () => this.#open(),
      specOf: (digest) => this.#specOf(revision, digest),
      report: (what) => this.#tell(assignment, what),
      switchTo: (digest, manifest) => this.#switch({ ...revision, artifact_digest: digest }, manifest),
    });
    if (end.kind !== 'failed') return;
    this.#failure = end.failure;
    this.#local = {
      ...this.#local,
      failed: { revision_id: revision.id, generation: assignment.generation },
    };
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
      onLog: (line) => this.#logs.server(line),
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
    await this.#logs[Symbol.asyncDispose]();
  }

  async #specOf(revision: AssignedRevision, digest: string) {
    const { link, artifacts } = this.#context;
    const folder = artifacts.pathOf(digest);
    const config_path = revision.config.langgraph_config_path;
    const given = await link.environment(this.#assignment.deployment_id, revision.id);
    const environment = await withProjectEnvironment(folder, config_path, given);
    this.#logs.hide(revision.id, environment);
    return { revision_id: revision.id, folder, config_path, environment };
  }

  /** Reports how far it is. Progress that can't be told now is told by the next word; a stale fence ends the pass. */
  async #tell(assignment: Assignment, what: Word): Promise<void> {
    try {
      await this.#report(assignment, what);
    } catch (error) {
      if (error instanceof StaleFence) throw error;
      this.#context.log.debug('progress was not told', { error });
    }
  }

  /** Always about the desired state that was worked on, which may not be the newest by now. */
  async #report(assignment: Assignment, what: Word): Promise<void> {
    const { deployment_id, generation, revision, slug, removed } = assignment;
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
    if (!accepted) throw new StaleFence('Another life of this listener has taken over.');
  }

  /** How many hosts there are is told, too; a lost telling is made good by the next. */
  #hostsChanged(): void {
    const assignment = this.#assignment;
    const { serving } = this.#local;
    if (serving === undefined || serving !== (assignment.revision ?? assignment.active)?.id) return;
    this.#tell(assignment, { phase: 'switch', outcome: 'done' }).catch(() => undefined);
  }
}

type Word = Pick<Observation, 'phase' | 'outcome'> & Partial<Pick<Observation, 'reason' | 'artifact_digest'>>;

class StaleFence extends Error {
  override readonly name = 'StaleFence';
}
