import type { RunningDeployment } from '../runtimes/runtime.ts';

export interface Route {
  readonly deployment_id: string;
  readonly workspace_id: string;
  readonly running: RunningDeployment;
}

/** Which deployment answers below `/agents/{slug}`. */
export class Routes {
  readonly #bySlug = new Map<string, Route>();
  readonly #missing = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #ready = false;

  /** Everything that served before has been brought back, as far as it can be. */
  markReady(): void {
    this.#ready = true;
    this.#wake();
  }

  /** The route of a name; after a start an unknown one may just not be back yet, so that it is waited for. */
  async find(slug: string, wait_ms: number, signal: AbortSignal): Promise<Route | undefined> {
    const until = Date.now() + wait_ms;
    const isKnown = () => this.#ready || this.#bySlug.has(slug) || this.#missing.has(slug);
    while (!isKnown() && !signal.aborted && Date.now() < until)
      await this.#change(until - Date.now(), signal);
    return this.#bySlug.get(slug);
  }

  set(slug: string, route: Route): void {
    this.#bySlug.set(slug, route);
    this.#missing.delete(slug);
    this.#wake();
  }

  /** Its deployment should answer, and can't be brought back. */
  miss(slug: string): void {
    this.#missing.add(slug);
    this.#wake();
  }

  isMissing(slug: string): boolean {
    return this.#missing.has(slug);
  }

  remove(slug: string): void {
    this.#bySlug.delete(slug);
    this.#missing.delete(slug);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  #change(within_ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, within_ms);
      signal.addEventListener('abort', done);
      this.#waiting.add(done);
    });
  }
}
