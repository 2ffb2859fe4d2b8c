import type { Trouble } from '@roadstead/agent-server';
import type { AssignedRevision, Assignment, StatusReason } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { digestOf } from './artifact-rules.ts';
import { configPathOf } from '../builders/config-file.ts';
import { DeploymentLogs } from '../logs/deployment-logs.ts';
import type { RunningDeployment, RuntimeRevision } from '../ports/runtime.ts';
import { runStep, STEP_MS, TookTooLong } from '../steps/steps.ts';
import { Accidents, isRefusal } from './accidents.ts';
import { type LocalState, planAction, untouched } from './assignment-plan.ts';
import type { DeploymentContext } from './deployment-context.ts';
import { DeploymentReports, type Report, type ServingRevision } from './deployment-reports.ts';
import { heldStarts } from './held-starts.ts';
import { handOver, isHandedOver, prepareHandover } from './handover.ts';
import { reportLost } from './lost-report.ts';
import { type NeededArtifacts, neededOf } from './needed-artifacts.ts';
import { keepManifest } from './keep-manifest.ts';
import {
  type AttemptedDeployment,
  type Failure,
  rollOutRevision,
  refusedFailure,
  type ResolvedSource,
  withResolved,
} from './revision-attempt.ts';
import { fetchKept } from './kept-artifact.ts';
import { type RevisionReading, readRuntimeRevision } from './runtime-revision.ts';
import { StartHindrances } from './start-hindrances.ts';

/** What runs has this long to end before it goes to another instance, since callers wait for that. */
const HANDOVER_DRAIN_MS = 1000;

/** Each of its steps that has a limit gets one third of it. */
const PURGE_MS = 3 * STEP_MS;

/** Removes everything of a deployment from this machine. */
async function purge(
  { databases, runtime, artifacts, build }: DeploymentContext,
  deployment_id: string,
): Promise<void> {
  const steps = async () => {
    await databases.drop(deployment_id);
    await runtime.forget(deployment_id);
    await artifacts.release(deployment_id);
    await build.cache.forget(deployment_id);
  };
  const error = () => new TookTooLong('the deployment was not purged', PURGE_MS);
  await runStep(steps, { limit: { ms: PURGE_MS, error } });
}

/**
 * An attempt may wait for something that no step limits, such as a disk. Once given up, it is left to itself later
 * than any step would be: by then its signal lets it change nothing.
 */
const attemptWithin =
  (grace_ms: number) =>
  (signals: readonly AbortSignal[], attempt: (until: AbortSignal) => Promise<void>): Promise<void> =>
    runStep(attempt, { signal: AbortSignal.any([...signals]), grace_ms });

/** One deployment on this machine: brings it to its desired state, a step at a time, and reports what it observes. */
export class Deployment implements AsyncDisposable {
  readonly #context: DeploymentContext;
  readonly #logs: DeploymentLogs;
  readonly #reports: DeploymentReports;
  #assignment: Assignment;
  #local: LocalState = untouched;
  #running: RunningDeployment | undefined;
  /** Closed deployments that still have processes. */
  #ending: RunningDeployment[] = [];
  #serving: ServingRevision | undefined;
  #resolved: ResolvedSource | undefined;
  /** The failure behind `#local.failed`. */
  #failure: Failure | undefined;
  /** The problem of the revision that serves. */
  #trouble: StatusReason | null = null;
  #target = new AbortController();
  /** Also ends work that continues for the sake of the revision that served. */
  #removal = new AbortController();
  readonly #reaching = new Accidents();
  readonly #restoring = new Accidents();
  readonly #hindrances = new StartHindrances();

  constructor(context: DeploymentContext, assignment: Assignment) {
    this.#context = context;
    this.#assignment = assignment;
    const { link, log } = context;
    const params = { ...link.params, deployment_id: assignment.deployment_id };
    const fence = () => link.fenceOf(assignment.deployment_id);
    this.#logs = new DeploymentLogs({ client: link.client, params, fence, log });
    this.#reports = new DeploymentReports(context, () => ({
      serving: this.#serving,
      database_ready: this.#local.open,
      hosts: this.#running?.hosts() ?? 0,
      trouble: this.#trouble,
    }));
  }

  /** Takes a newer desired state; an attempt at another target is given up. */
  assign(assignment: Assignment): void {
    const before = this.#assignment.revision?.id;
    this.#assignment = assignment;
    if (assignment.removed) this.#removal.abort(new Problem('conflict', 'The deployment is removed.'));
    else if (isHandedOver(assignment))
      this.#removal.abort(new Problem('conflict', 'Another instance has the deployment.'));
    else if (this.#removal.signal.aborted) this.#removal = new AbortController();
    if (!this.#removal.signal.aborted && assignment.revision?.id === before) return;
    this.#target.abort(new Problem('conflict', 'A newer desired state has come.'));
    this.#target = new AbortController();
  }

  /**
   * The revisions whose artifacts it needs, the known digests of these, and the deployment whose cache it builds
   * with.
   */
  get needed(): NeededArtifacts {
    return neededOf(this.#assignment, this.#serving);
  }

  get isSettled(): boolean {
    return planAction(this.#assignment, this.#local).kind === 'settled';
  }

  /** Whether it only waits here for another instance to release it. */
  get isPrepared(): boolean {
    return this.#assignment.hold === 'prepare';
  }

  get isGone(): boolean {
    const { removed, hold } = this.#assignment;
    return (removed || hold === 'release') && this.isSettled;
  }

  /** Another instance has it, as this one learns late: it is closed, and nobody is told. */
  lose(): void {
    const { generation } = this.#assignment;
    this.assign({ ...this.#assignment, hold: 'release' });
    this.#update({ handed_generation: generation, is_stale: this.#local.open });
  }

  /** Does the next action; false when nothing is left to do. An action that throws is repeated. */
  async reconcile(signal: AbortSignal): Promise<boolean> {
    const assignment = this.#assignment;
    const action = planAction(assignment, this.#local);
    const attempt = attemptWithin(this.#context.attempt_grace_ms);
    switch (action.kind) {
      case 'settled':
        return false;
      case 'restore':
        await attempt([signal, this.#removal.signal], (until) =>
          this.#restore(assignment, action.revision, until),
        );
        return true;
      case 'roll out':
        await attempt([signal, this.#target.signal], (until) =>
          this.#rollOut(assignment, action.revision, until),
        );
        return true;
      case 'close':
        await this.#close();
        return true;
      case 'purge':
        await purge(this.#context, assignment.deployment_id);
        this.#update({ purged: true });
        return true;
      case 'prepare':
        await prepareHandover(this.#context, assignment, { revision: action.revision, signal });
        this.#update({ handed_generation: assignment.generation });
        return true;
      case 'hand over':
        await handOver(this.#context, { deployment_id: assignment.deployment_id, step: 'released' });
        this.#update({ handed_generation: assignment.generation });
        return true;
      case 'report':
        await this.#reportEnd(assignment, action.what);
        return true;
      default:
        return action satisfies never;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#target.abort(new Problem('unavailable', 'The data plane stops.'));
    await this.#close();
  }

  /** Restores from the cache, without starting anything: hosts start at the first call. */
  async #restore(assignment: Assignment, revision: AssignedRevision, signal: AbortSignal): Promise<void> {
    const { artifacts } = this.#context;
    const path = configPathOf(revision.config);
    try {
      const artifact = await fetchKept(this.#context, {
        revision,
        deployment_id: assignment.deployment_id,
        signal,
      });
      const running = await this.#open(signal);
      this.#context.places.checkServed(assignment.deployment_id);
      const spec = await this.#specOf({ revision, artifact, onLine: undefined, signal });
      const kept = await artifacts.manifest(digestOf(artifact), path);
      const known = kept ?? revision.manifest ?? undefined;
      const manifest = known ?? (await running.prepare(spec, signal));
      if (kept === undefined) await keepManifest(this.#context, { artifact, config_path: path, manifest });
      if (known !== undefined) running.restore(spec, known);
      await this.#switch({ revision, artifact, manifest }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (this.#serving === undefined) this.#context.routes.fail(assignment.slug);
      const problem = this.#restoring.failureBy(error, revision.id);
      if (problem !== undefined) {
        // A newer revision gets its turn.
        this.#update({ unrestorable: revision.id });
        const of = { assignment, revision_id: revision.id, problem };
        await reportLost(this.#context.log, { ...of, logs: this.#logs, reports: this.#reports });
      }
      throw error;
    }
  }

  async #rollOut(assignment: Assignment, revision: AssignedRevision, signal: AbortSignal): Promise<void> {
    const { workspace_id, deployment_id, generation } = assignment;
    const revision_id = revision.id;
    const deployment: AttemptedDeployment = {
      workspace_id,
      deployment_id,
      hindrances: this.#hindrances,
      open: (until) => this.#open(until),
      readSpec: (artifact, onLine) => {
        this.#context.places.check(deployment_id);
        return this.#specOf({ revision, artifact, onLine, signal });
      },
      keepCommit: (commit_sha) => {
        this.#resolved = { revision_id, commit_sha };
      },
      keepImage: (image) => {
        this.#resolved = { revision_id, image };
      },
      switchTo: (built, until) => this.#switch({ revision, ...built }, until),
    };
    // With any result, the revision that served gets its next turn.
    this.#update({ unrestorable: undefined });
    this.#logs.retain(new Set(this.needed.revision_ids));
    const end = await rollOutRevision(this.#context, {
      deployment,
      revision: withResolved(revision, this.#resolved),
      reports: this.#reports.onAttempt(assignment, revision_id),
      signal,
      logs: this.#logs,
      accidents: this.#reaching,
    }).finally(() => this.#context.onAttempted());
    if (end.kind === 'given up') await this.#logs.endBuild(revision_id);
    if (end.kind !== 'failed') return;
    this.#failure = end.failure;
    this.#update({ failed: { revision_id, generation } });
  }

  async #switch({ revision, artifact, manifest }: ServingRevision, signal: AbortSignal): Promise<void> {
    const running = await this.#open(signal);
    const before = this.#serving?.artifact;
    // It drains with the files in its folder, and is the first that a rollback returns to.
    if (before?.kind === 'folder') await this.#context.artifacts.touch(before.digest);
    await running.activate(revision.id, signal);
    const { deployment_id, workspace_id, slug } = this.#assignment;
    this.#context.routes.set(slug, { deployment_id, workspace_id, running });
    this.#serving = { revision, artifact, manifest };
    this.#update({ serving: revision.id, unrestorable: undefined });
  }

  async #open(signal: AbortSignal): Promise<RunningDeployment> {
    const { deployment_id, workspace_id, name, sealing_keys } = this.#assignment;
    this.#running ??= await this.#context.runtime.open({
      deployment_id,
      workspace_id,
      name,
      sealing_keys,
      signal,
      public_url: () => this.#assignment.custom_url ?? this.#context.agent_url(this.#assignment.slug),
      onHosts: () => this.#hostsChanged(),
      onTrouble: (trouble) => this.#troubled(trouble),
      ...heldStarts(this.#assignment, this.#hindrances),
      onLog: (line) => this.#logs.server(line),
    });
    this.#update({ open: true });
    return this.#running;
  }

  /**
   * Closes what runs. Once its processes are gone it counts as closed: anything else of it that does not end in time is
   * left to itself, the error mentions it, and the next steps go on. What still has processes ends with the next close.
   */
  async #close(): Promise<void> {
    this.#context.routes.remove(this.#assignment.slug);
    if (this.#running !== undefined) this.#ending.push(this.#running);
    this.#running = this.#serving = undefined;
    this.#trouble = null;
    this.#update({ serving: undefined });
    const close = (one: RunningDeployment) =>
      isHandedOver(this.#assignment) ? one.close(HANDOVER_DRAIN_MS) : one[Symbol.asyncDispose]();
    const ends = await Promise.allSettled(this.#ending.map(close));
    this.#ending = this.#ending.filter((one) => one.hosts() > 0);
    this.#update({ open: this.#ending.length > 0, is_stale: false });
    await this.#logs[Symbol.asyncDispose]();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  async #specOf(of: Omit<RevisionReading, 'deployment_id'>): Promise<RuntimeRevision> {
    const at = { ...of, deployment_id: this.#assignment.deployment_id };
    const spec = await readRuntimeRevision(this.#context, at);
    this.#logs.hide(of.revision.id, spec.environment);
    return spec;
  }

  /** Reports the end of a generation, until the report is accepted. */
  async #reportEnd(assignment: Assignment, what: 'removed' | 'serving' | 'failed'): Promise<void> {
    const revision_id = assignment.revision?.id ?? null;
    const report: Report =
      what === 'failed' && this.#failure !== undefined
        ? { revision_id, outcome: 'failed', ...this.#failure }
        : { revision_id: this.#local.serving ?? null, phase: 'switch', outcome: 'done' };
    try {
      await this.#reports.send(assignment, report);
    } catch (error) {
      if (what !== 'serving' || revision_id === null || !isRefusal(error)) throw error;
      return this.#withdraw(assignment, revision_id, error);
    }
    this.#update({ reported_generation: assignment.generation });
    if (revision_id !== null) await this.#logs.endBuild(revision_id);
  }

  /** Withdraws a revision that a control plane which was set back knows nothing of: it may not serve. */
  async #withdraw({ generation }: Assignment, revision_id: string, { message }: Error): Promise<void> {
    this.#failure = refusedFailure(message);
    await this.#context.artifacts.forgetBuilt(revision_id);
    this.#update({ failed: { revision_id, generation } });
    await this.#close();
  }

  /** Reports a problem of the revision that serves, or that there is none any more. */
  #troubled(trouble: Trouble | undefined): void {
    const log_tail = this.#logs.tail(this.#local.serving ?? '').map(this.#logs.mask);
    this.#trouble = trouble === undefined ? null : { phase: 'switch', ...trouble, log_tail };
    this.#hostsChanged();
  }

  /** Reports the number of hosts. */
  #hostsChanged(): void {
    const { serving } = this.#local;
    if (serving === undefined || this.#assignment.removed || isHandedOver(this.#assignment)) return;
    void this.#reports.progress(this.#assignment, { revision_id: serving, phase: 'switch', outcome: 'done' });
  }

  #update(change: Partial<LocalState>): void {
    this.#local = { ...this.#local, ...change };
  }
}
