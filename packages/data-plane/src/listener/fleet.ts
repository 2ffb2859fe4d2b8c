import type { Assignment } from '@roadstead/contracts/control-plane';
import { again, type Bound, Loop, pause, settled } from '@roadstead/kit';
import type { RetainedArtifacts } from '../artifacts/artifacts.ts';
import type { ClaimedHosts } from '../router/claimed-hosts.ts';
import { pythonVersions } from '../artifacts/python-runtime.ts';
import { Deployment } from './deployment.ts';
import type { DeploymentContext } from './deployment-context.ts';

/** Far more steps than builds that may run at once: a start, a rollback or a stop waits for no build. */
const stepBound: Bound<string> = { size: 64, owner: (workspace_id) => [workspace_id] };

/** All deployments of this machine, each brought to its desired state by the one loop. */
export class Fleet implements AsyncDisposable {
  readonly #context: DeploymentContext;
  readonly #hosts: ClaimedHosts;
  readonly #deployments = new Map<string, Deployment>();
  readonly #loop: Loop;
  /** Deployments of the first desired state that haven't been tried yet. */
  readonly #comingBack = new Set<string>();
  #synced = false;
  /** Whether every deployment that served has had its turn. */
  #isBack = false;
  #isUntidy = false;
  #empty = Promise.withResolvers<void>();
  #tidying: Promise<void> | undefined;

  constructor({
    hosts,
    ...context
  }: Omit<DeploymentContext, 'onAttempted'> & { readonly hosts: ClaimedHosts }) {
    this.#hosts = hosts;
    this.#context = { ...context, onAttempted: () => this.#tidy() };
    this.#loop = new Loop({
      name: 'deployments',
      log: context.log,
      concurrency: stepBound.size,
      // Steps that wait for a build leave room for those of other workspaces.
      owner: (id) => stepBound.owner(this.#deployments.get(id)?.needed.workspace_id ?? ''),
      list: async () => [...this.#deployments].flatMap(([id, one]) => (one.isSettled ? [] : id)),
      reconcile: async (id, signal) => {
        const deployment = this.#deployments.get(id);
        try {
          if ((await deployment?.reconcile(signal)) === true) return again(0);
        } finally {
          this.#tried(id);
        }
        if (deployment?.isGone === true) {
          this.#deployments.delete(id);
          if (this.#isEmpty) this.#empty.resolve();
        }
        return settled;
      },
    });
  }

  start(): void {
    this.#loop.start();
  }

  /**
   * The desired state is complete: only the deployments in it can be restored.
   * @param assigned what of its deployments an instance still has; undefined where the listener has no others
   */
  synced(assigned?: ReadonlySet<string>): void {
    this.#synced = true;
    for (const [id, deployment] of assigned === undefined ? [] : this.#deployments) {
      if (assigned?.has(id) === true) continue;
      deployment.lose();
      this.#loop.wake(id);
    }
    void this.#context.runtime.removeOrphans();
    this.#tried();
  }

  /** The control plane is back: pending reports are sent now. */
  wake(): void {
    for (const id of this.#deployments.keys()) this.#loop.wake(id);
  }

  /** What is only prepared here is another's. */
  get #isEmpty(): boolean {
    return [...this.#deployments.values()].every((one) => one.isPrepared);
  }

  /** Resolves once it has no deployment, or after `ms`. */
  async untilEmpty(ms: number): Promise<void> {
    if (this.#isEmpty) return;
    this.#empty = Promise.withResolvers();
    await Promise.race([this.#empty.promise, pause(ms, new AbortController().signal)]);
  }

  /** The lease was lost: others may have, or have had, what is here. What is still ours is opened anew. */
  lost(): void {
    for (const [id, deployment] of this.#deployments) {
      deployment.lose();
      this.#loop.wake(id);
    }
  }

  assign(assignment: Assignment): void {
    const { slug, custom_url, removed, hold = 'run' } = assignment;
    this.#hosts.claim(slug, removed || hold !== 'run' ? null : custom_url);
    if (!this.#synced && hold === 'run') this.#comingBack.add(assignment.deployment_id);
    const known = this.#deployments.get(assignment.deployment_id);
    if (known === undefined)
      this.#deployments.set(assignment.deployment_id, new Deployment(this.#context, assignment));
    else known.assign(assignment);
    this.#loop.wake(assignment.deployment_id);
  }

  /** The first step restores what served; a deployment that can't be restored for now does not delay the others. */
  #tried(id?: string): void {
    if (id !== undefined) this.#comingBack.delete(id);
    if (this.#isBack || !this.#synced || this.#comingBack.size > 0) return;
    this.#isBack = true;
    this.#context.routes.markReady();
    this.#tidy();
  }

  /**
   * Runs once all needed artifacts are known, and after each attempt: those that do not serve are fetched again when
   * needed.
   */
  #tidy(): void {
    if (!this.#isBack) return;
    this.#isUntidy = true;
    this.#tidying ??= this.#tidyAll();
  }

  async #tidyAll(): Promise<void> {
    const { artifacts, build, prunePython, log } = this.#context;
    while (this.#isUntidy) {
      this.#isUntidy = false;
      await artifacts
        .prune(() => this.#needed())
        .catch((error: unknown) => log.warn('old artifacts were not removed', { error }));
      await artifacts
        .folders()
        .then(pythonVersions)
        .then(prunePython)
        .catch((error: unknown) => log.warn('old versions of Python were not removed', { error }));
      await build.cache
        .trim(new Set([...this.#deployments.values()].map((one) => one.needed.workspace_id)))
        .catch((error: unknown) => log.warn('the cache of builds was not trimmed', { error }));
    }
    this.#tidying = undefined;
  }

  #needed(): RetainedArtifacts {
    const needed = [...this.#deployments.values()].map((deployment) => deployment.needed);
    return {
      digests: new Set(needed.flatMap((one) => one.digests)),
      revisions: new Set(needed.flatMap((one) => one.revision_ids)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
    await this.#tidying;
    await Promise.all([...this.#deployments.values()].map((deployment) => deployment[Symbol.asyncDispose]()));
  }
}
