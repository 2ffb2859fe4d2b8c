import type { Assignment } from '@roadstead/contracts';
import { again, Loop, settled } from '@roadstead/kit';
import { Deployment, type DeploymentContext } from './deployment.ts';

/** Every deployment of this machine, each brought to its desired state by the one loop. */
export class Fleet implements AsyncDisposable {
  readonly #context: DeploymentContext;
  readonly #deployments = new Map<string, Deployment>();
  readonly #loop: Loop;

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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
    await Promise.all([...this.#deployments.values()].map((deployment) => deployment[Symbol.asyncDispose]()));
  }
}
