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
  readonly log: Log;
}

/** The namespaces in which agents run, and which deployment is in which. */
export class AgentPlaces implements AsyncDisposable {
  readonly namespaces: readonly string[];
  readonly #places: ReadonlyMap<string, AgentPlace>;
  /** The namespaces that deployments name. */
  readonly #named = new Map<string, string>();
  readonly #opened = new AsyncDisposableStack();

  constructor({ access, namespaces, owner, log }: AgentPlacesOptions) {
    this.namespaces = namespaces;
    this.#places = new Map(
      namespaces.map((namespace) => {
        const cluster = this.#opened.use(new KubernetesClient({ ...access, namespace }));
        const pods = this.#opened.use(new ClusterPods({ cluster, owner, owners: 'configmaps', log }));
        return [namespace, { pods, owners: new PodOwners({ pods, log }) }];
      }),
    );
  }

  /** Takes note of what an assignment names first: a deployment stays where it is. */
  assign({
    deployment_id,
    namespace,
    removed,
  }: Pick<Assignment, 'deployment_id' | 'namespace' | 'removed'>): void {
    if (namespace !== null && !removed && !this.#named.has(deployment_id))
      this.#named.set(deployment_id, namespace);
  }

  /** @throws Problem `invalid` where this data plane runs nothing in the namespace that the deployment names */
  of(deployment_id: string): AgentPlace {
    const namespace = this.#named.get(deployment_id) ?? this.namespaces[0] ?? '';
    const place = this.#places.get(namespace);
    if (place !== undefined) return place;
    throw new Problem(
      'invalid',
      `The data plane of this listener runs no agents in the namespace ${namespace} that cluster_namespace names.`,
      {
        code: 'namespace_not_served',
        hint: `It runs them in ${this.namespaces.join(', ')}. Its operator adds namespaces (ROADSTEAD_AGENTS_NAMESPACE, dataPlane.agents of the chart).`,
      },
    );
  }

  async removeOrphans(): Promise<void> {
    await Promise.all([...this.#places.values()].map(({ pods }) => pods.removeOrphans()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}
