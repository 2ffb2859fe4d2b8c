import type { RunningDeployment } from '../ports/runtime.ts';

export interface Route {
  readonly deployment_id: string;
  readonly workspace_id: string;
  readonly running: RunningDeployment;
}

/** No such deployment; not known yet after a start; one that could not be restored; or the end of this process. */
export type Absence = 'none' | 'coming_back' | 'failed' | 'stopping';

/** Finds the deployment that answers below `/agents/{slug}`. */
export class Routes {
  readonly #bySlug = new Map<string, Route>();
  readonly #failed = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #ready = false;
  #stopping = false;

  /** Everything that served before has been restored, as far as possible. */
  markReady(): void {
    this.#ready = true;
    this.#wake();
  }

  /** From now on new calls find nothing; those under way continue. */
  stop(): void {
    this.#stopping = true;
    this.#wake();
  }

  /** The route of a name, if it is known already. */
  get(slug: string): Route | undefined {
    return this.#stopping ? undefined : this.#bySlug.get(slug);
  }

  /** The route of a name. Until everything is restored after a start, calls wait for an unknown name. */
  async find(slug: string, wait_ms: number, signal: AbortSignal): Promise<Route | undefined> {
    const until = Date.now() + wait_ms;
    const isKnown = () => this.#stopping || this.#ready || this.#bySlug.has(slug) || this.#failed.has(slug);
    while (!isKnown() && !signal.aborted && Date.now() < until)
      await this.#change(until - Date.now(), signal);
    return this.get(slug);
  }

  set(slug: string, route: Route): void {
    this.#bySlug.set(slug, route);
    this.#failed.delete(slug);
    this.#wake();
  }

  /** Its deployment should answer, but could not be restored. */
  fail(slug: string): void {
    this.#failed.add(slug);
    this.#wake();
  }

  /** Why `find` found nothing. */
  absence(slug: string): Absence {
    if (this.#stopping) return 'stopping';
    if (this.#failed.has(slug)) return 'failed';
    return this.#ready ? 'none' : 'coming_back';
  }

  remove(slug: string): void {
    this.#bySlug.delete(slug);
    this.#failed.delete(slug);
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
