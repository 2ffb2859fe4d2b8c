import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { KubernetesClient, ObjectChange, ObjectMap, Pod, StoredObject } from '@roadstead/kubernetes';
import type { Log } from '@roadstead/kit';
import { GROUP_LABEL, LIFE_LABEL, type Marks, OWNER_LABEL } from './pod-names.ts';

/** How soon orphans that could not be removed are tried again. */
const AGAIN_MS = 5000;

/** Who is told of the pods of a group. */
export interface PodWatcher {
  see(pod: StoredObject<Pod>): void;
  gone(pod: StoredObject<Pod>): void;
}

export interface ClusterPodsOptions {
  readonly cluster: KubernetesClient;
  /** Names this data plane, in each of its lives. */
  readonly owner: string;
  /** What owns all else that is made there. */
  readonly owners: 'configmaps' | 'jobs';
  readonly log: Log;
}

/** All pods of this data plane in this life of it, by the group that each belongs to. */
export class ClusterPods implements AsyncDisposable {
  readonly cluster: KubernetesClient;
  readonly marks: Marks;
  readonly #log: Log;
  readonly #owners: ClusterPodsOptions['owners'];
  readonly #watch: ObjectMap<Pod>;
  readonly #watchers = new Map<string, PodWatcher>();
  #count = 0;

  constructor({ cluster, owner, owners, log }: ClusterPodsOptions) {
    this.cluster = cluster;
    this.#owners = owners;
    this.#log = log;
    this.marks = { owner, life: randomUUID() };
    this.#watch = cluster.watch('pods', {
      labels: { [OWNER_LABEL]: owner, [LIFE_LABEL]: this.marks.life },
      onChange: (change) => this.#tell(change),
      onAway: (error) => error && log.warn('pods can not be followed', { error }),
    });
  }

  /** The end of a name that nothing else of this data plane bears, in any of its lives. */
  nextSuffix(): string {
    this.#count += 1;
    return `${this.marks.life.slice(0, 6)}${this.#count.toString(36)}`;
  }

  /** Tells of the pods of a group until that is disposed of. */
  follow(group: string, watcher: PodWatcher): Disposable {
    this.#watchers.set(group, watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(group) };
  }

  /** Removes what an earlier life left: nobody speaks to its pods any more. It is tried until nothing is left. */
  async removeOrphans(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        const count = await this.#removeAll();
        if (count > 0) this.#log.info('removed objects of an earlier life from the cluster', { count });
        return;
      } catch (error) {
        if (tries === 1) this.#log.warn('objects of an earlier life could not be removed', { error });
      }
      await pause(AGAIN_MS, undefined, { ref: false });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch[Symbol.asyncDispose]();
  }

  #tell({ type, object }: ObjectChange<Pod>): void {
    const watcher = this.#watchers.get(object.metadata.labels?.[GROUP_LABEL] ?? '');
    if (type === 'removed') watcher?.gone(object);
    else watcher?.see(object);
  }

  async #removeAll(): Promise<number> {
    const { owner, life } = this.marks;
    const { items } = await this.cluster.list(this.#owners, { labels: { [OWNER_LABEL]: owner } });
    const orphans = items.filter(({ metadata }) => metadata.labels?.[LIFE_LABEL] !== life);
    for (const { metadata } of orphans) {
      const { name, uid } = metadata;
      await this.cluster.delete(this.#owners, { name, uid, propagation: 'Background' });
    }
    return orphans.length;
  }
}
