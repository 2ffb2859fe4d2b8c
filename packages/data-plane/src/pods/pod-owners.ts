import type { HostNames } from '@roadstead/agent-server';
import type { ConfigMap, OwnerReference, StoredObject } from '@roadstead/kubernetes';
import type { Log } from '@roadstead/kit';
import type { ClusterPods } from './cluster-pods.ts';
import { deploymentLabels, objectNameOf } from './pod-names.ts';

interface Owner {
  readonly name: string;
  holders: number;
  reference: Promise<OwnerReference> | undefined;
  is_doubted: boolean;
}

export interface HeldOwner {
  reference(): Promise<OwnerReference>;
  /** Has it written again when it is next asked for: somebody may have changed or removed it. */
  doubt(): void;
  release(): void;
}

export interface PodOwnersOptions {
  readonly pods: ClusterPods;
  /** The name of a ConfigMap of the release, which takes all that we write with it where it is removed. */
  readonly release?: string | undefined;
  readonly log: Log;
}

/** An object of the cluster for each deployment that has others there: it owns them, so they go with it. */
export class PodOwners {
  readonly #pods: ClusterPods;
  readonly #release: string | undefined;
  readonly #log: Log;
  readonly #owners = new Map<string, Owner>();

  constructor({ pods, release, log }: PodOwnersOptions) {
    this.#pods = pods;
    this.#release = release;
    this.#log = log;
  }

  /** Keeps the owner of a deployment, made when it is first asked for, until it is released. */
  hold(names: HostNames): HeldOwner {
    const owner = this.#owners.get(names.deployment_id) ?? this.#open(names);
    owner.holders += 1;
    return {
      reference: () => this.#reference(owner, names),
      doubt: () => {
        owner.is_doubted = true;
      },
      release: () => {
        owner.holders -= 1;
        if (owner.holders === 0) this.#close(owner, names);
      },
    };
  }

  #open(names: HostNames): Owner {
    // The one before may be on its way out, with all that it owns.
    const name = `${objectNameOf(names)}-${names.deployment_id.slice(-8)}-${this.#pods.nextSuffix()}`;
    const owner: Owner = { name, holders: 0, reference: undefined, is_doubted: false };
    this.#owners.set(names.deployment_id, owner);
    return owner;
  }

  async #reference(owner: Owner, names: HostNames): Promise<OwnerReference> {
    if (owner.is_doubted) owner.reference = undefined;
    owner.is_doubted = false;
    const made = (owner.reference ??= this.#make(owner, names));
    return await made.catch((error: unknown) => {
      owner.reference = undefined;
      throw error;
    });
  }

  async #make({ name }: Owner, names: HostNames): Promise<OwnerReference> {
    const { cluster, marks } = this.#pods;
    const { deployment_id } = names;
    const labels = deploymentLabels(names, marks);
    const ownerReferences = await this.#releaseReference();
    const written = {
      metadata: { name, labels, ownerReferences },
      data: { deployment_id, name: names.name },
    };
    return referenceTo(await cluster.apply('configmaps', written, { force: true }));
  }

  async #releaseReference(): Promise<readonly OwnerReference[]> {
    if (this.#release === undefined) return [];
    const found = await this.#pods.cluster.find('configmaps', { name: this.#release });
    return found === undefined ? [] : [referenceTo(found)];
  }

  /** What can't be removed now is removed as our next life begins. */
  #close(owner: Owner, { deployment_id }: HostNames): void {
    this.#owners.delete(deployment_id);
    owner.reference
      ?.then(() => this.#pods.cluster.delete('configmaps', { name: owner.name, propagation: 'Background' }))
      .catch((error: unknown) =>
        this.#log.warn('an object of the cluster is left', { name: owner.name, error }),
      );
  }
}

const referenceTo = ({ metadata: { name, uid } }: StoredObject<ConfigMap>): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
});
