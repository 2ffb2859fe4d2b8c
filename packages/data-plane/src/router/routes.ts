import type { RunningDeployment } from '../runtimes/runtime.ts';

export interface Route {
  readonly deployment_id: string;
  readonly workspace_id: string;
  readonly running: RunningDeployment;
}

/** Which deployment answers below `/agents/{slug}`. */
export class Routes {
  readonly #bySlug = new Map<string, Route>();
  #ready = false;

  /** Until the first desired state is here, an unknown name may just not be known yet. */
  markReady(): void {
    this.#ready = true;
  }

  get isReady(): boolean {
    return this.#ready;
  }

  find(slug: string): Route | undefined {
    return this.#bySlug.get(slug);
  }

  set(slug: string, route: Route): void {
    this.#bySlug.set(slug, route);
  }

  remove(slug: string): void {
    this.#bySlug.delete(slug);
  }
}
