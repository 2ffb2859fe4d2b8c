import type { Assignment } from '@roadstead/contracts';
import { again, Loop, settled } from '@roadstead/kit';
import { Deployment } from './deployment.ts';
import type { DeploymentContext } from './deployment-context.ts';

const TIDY_EVERY_MS = 600_000;

/** Every deployment of this machine, each brought to its desired state by the one loop. */
export class Fleet implements AsyncDisposable {
  readonly #context: DeploymentContext;
  readonly #deployments = new Map<string, Deployment>();
  readonly #loop: Loop;
  #tidied_at = Number.NEGATIVE_INFINITY;
  #tidying: Promise<void> | undefined;

  constructor(context: DeploymentContext) {
    this.#context = context;
    this.#loop = new Loop({
      name: 'deployments',
      log: context.log,
      concurrency: 8,
      list: async () => [...this.#deployments.keys()],
      reconcile: async (id, signal) => {
        const deployment = this.#deployments.get(id);
        if ((await deployment?.step(signal)) === true) return again(0);
        if (deployment?.isGone === true) this.#deployments.delete(id);
        return settled;
      },
    });
  }

  start(): void {
    this.#loop.start();
  }

  assign(assignment: Assignment): void {
    const known = this.#deployments.get(assignment.deployment_id);
    if (known === undefined)
      this.#deployments.set(assignment.deployment_id, new Deployment(this.#context, assignment));
    else known.assign(assignment);
    this.#loop.wake(assignment.deployment_id);
  }

  /** All desired state is known, so artifacts that nobody names are old ones. Called after each answer. */
  tidy(): void {
    if (Date.now() - this.#tidied_at < TIDY_EVERY_MS) return;
    this.#tidied_at = Date.now();
    const { artifacts, log } = this.#context;
    const needed = new Set([...this.#deployments.values()].flatMap((deployment) => deployment.digests));
    this.#tidying ??= artifacts
      .prune(needed)
      .catch((error: unknown) => log.warn('old artifacts were not removed', { error }))
      .finally(() => (this.#tidying = undefined));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
    await this.#tidying;
    await Promise.all([...this.#deployments.values()].map((deployment) => deployment[Symbol.asyncDispose]()));
  }
}
