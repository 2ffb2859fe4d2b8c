/** How many calls, streams and WebSockets may be under way at once. */
export interface CallLimits {
  readonly per_deployment: number;
  /** Of all deployments of a workspace together: one tenant's streams leave room for the others. */
  readonly per_workspace: number;
}

/** Counts what is under way by name, so that nobody takes the router away from others. */
export class CallsInFlight {
  readonly #limits: CallLimits;
  readonly #counts = new Map<string, number>();

  constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  /** What gives the place back; undefined where there is none left. */
  enter(slug: string, workspace_id: string): (() => void) | undefined {
    const { per_deployment, per_workspace } = this.#limits;
    const workspace = `workspace ${workspace_id}`;
    if (this.#count(slug) >= per_deployment || this.#count(workspace) >= per_workspace) return undefined;
    this.#add(slug, 1);
    this.#add(workspace, 1);
    return () => {
      this.#add(slug, -1);
      this.#add(workspace, -1);
    };
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(key: string, change: 1 | -1): void {
    const count = this.#count(key) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
