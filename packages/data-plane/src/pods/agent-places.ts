import type { Assignment } from '@roadstead/contracts/control-plane';
import { type Log, Problem } from '@roadstead/kit';
import { type ClusterAccess, KubernetesClient } from '@roadstead/kubernetes';
import { ClusterPods } from './cluster-pods.ts';
import { PodOwners } from './pod-owners.ts';

/** A namespace in which agents run. */
export interface AgentPlace {
  readonly pods: ClusterPods;
  readonly owners: PodOwners;
}

export interface AgentPlacesOptions {
  readonly access: ClusterAccess;
  /** The first is for deployments that name none. */
  readonly namespaces: readonly string[];
  /** Names this data plane, in each of its lives. */
  readonly owner: string;
  /** The ConfigMap of the release in each of these namespaces, with which all goes. */
  readonly release?: string | undefined;
  readonly log: Log;
}

interface NamedPlace {
  readonly namespace: string;
  /** Its listener gave it that: the deployment names none. */
  readonly is_default: boolean;
}

/** The namespaces in which agents run, and which deployment is in which. */
export class AgentPlaces implements AsyncDisposable {
  readonly namespaces: readonly string[];
  readonly #places: ReadonlyMap<string, AgentPlace>;
  /** The namespaces that assignments name. */
  readonly #named = new Map<string, NamedPlace>();
  /** The deployments that are in the first, since theirs is served no more. */
  readonly #moved = new Set<string>();
  readonly #log: Log;
  readonly #opened = new AsyncDisposableStack();

  constructor({ access, namespaces, owner, release, log }: AgentPlacesOptions) {
    this.namespaces = namespaces;
    this.#log = log;
    this.#places = new Map(
      namespaces.map((namespace) => {
        const cluster = this.#opened.use(new KubernetesClient({ ...access, namespace }));
        const pods = this.#opened.use(new ClusterPods({ cluster, owner, owners: 'configmaps', log }));
        return [namespace, { pods, owners: new PodOwners({ pods, release, log }) }];
      }),
    );
  }

  /** Takes note of what an assignment names: what starts from now on is there. Whatever runs stays where it began. */
  assign({
    deployment_id,
    namespace,
    is_default_namespace = false,
    removed,
  }: Pick<Assignment, 'deployment_id' | 'namespace' | 'is_default_namespace' | 'removed'>): void {
    if (removed) {
      this.#named.delete(deployment_id);
      this.#moved.delete(deployment_id);
    } else if (namespace !== null) {
      if (this.#named.get(deployment_id)?.namespace !== namespace) this.#moved.delete(deployment_id);
      this.#named.set(deployment_id, { namespace, is_default: is_default_namespace });
    }
  }

  /** @throws Problem `invalid` where this data plane runs nothing in the namespace of the deployment */
  check(deployment_id: string): void {
    this.#placeIn(this.#named.get(deployment_id)?.namespace);
  }

  /**
   * As `check`, for what served before this data plane began: where the deployment names no namespace, and the one that its listener gave
   * it is served no more, it is in the first, rather than that it serves no longer.
   */
  checkServed(deployment_id: string): void {
    const { namespace, is_default = false } = this.#named.get(deployment_id) ?? {};
    if (namespace === undefined || this.#places.has(namespace) || !is_default)
      return this.check(deployment_id);
    if (this.#moved.has(deployment_id)) return;
    this.#moved.add(deployment_id);
    this.#log.warn('what served is restored in another namespace, since its own is served no more', {
      deployment_id,
      namespace,
      restored_in: this.namespaces[0],
    });
  }

  /** @throws as `check` does, unless what served is in another one */
  of(deployment_id: string): AgentPlace {
    const isMoved = this.#moved.has(deployment_id);
    return this.#placeIn(isMoved ? undefined : this.#named.get(deployment_id)?.namespace);
  }

  #placeIn(namespace = this.namespaces[0] ?? ''): AgentPlace {
    const place = this.#places.get(namespace);
    if (place !== undefined) return place;
    throw new Problem(
      'invalid',
      `The data plane of this listener runs no agents in the namespace ${namespace}, which is that of the deployment.`,
      {
        code: 'namespace_not_served',
        hint: `It runs them in ${this.namespaces.join(', ')}. Its operator adds namespaces (ROADSTEAD_AGENTS_NAMESPACE, dataPlane.agents of the chart).`,
      },
    );
  }

  /** Those of all namespaces. */
  get all(): readonly AgentPlace[] {
    return [...this.#places.values()];
  }

  async removeOrphans(): Promise<void> {
    await Promise.all([...this.#places.values()].map(({ pods }) => pods.removeOrphans()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}
