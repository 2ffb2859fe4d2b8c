import type { KubernetesClient } from '@roadstead/kubernetes';
import type { PodMember } from './pod-member.ts';
import { makerTrouble, podTrouble } from './pod-trouble-rules.ts';

export interface TroubleWatchOptions {
  readonly cluster: KubernetesClient;
  /** The name of what makes the pods: that of a ReplicaSet begins with it, that of a Job is it. */
  readonly name: string;
  /** Those whose pod has not begun. */
  readonly waiting: () => readonly PodMember[];
}

/** How often those who wait are looked after. */
const LOOK_MS = 2000;

/** Tells those who wait for a pod what keeps it from running, as long as somebody waits. */
export class TroubleWatch {
  readonly #options: TroubleWatchOptions;
  #looks = false;

  constructor(options: TroubleWatchOptions) {
    this.#options = options;
  }

  /** Somebody waits. */
  begin(): void {
    if (this.#looks) return;
    this.#looks = true;
    setTimeout(() => {
      void this.#look()
        // A cluster that is away is no trouble of a pod.
        .catch(() => undefined)
        .finally(() => {
          this.#looks = false;
          if (this.#options.waiting().length > 0) this.begin();
        });
    }, LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    const { cluster, name, waiting } = this.#options;
    const lacking = waiting().filter(({ pod }) => pod === undefined);
    if (lacking.length > 0) {
      const { items } = await cluster.list('events', { fields: { reason: 'FailedCreate' } });
      const ofMakers = items.filter(
        ({ involvedObject: { kind = '', name: maker = '' } }) =>
          (kind === 'ReplicaSet' && maker.startsWith(`${name}-`)) || (kind === 'Job' && maker === name),
      );
      const trouble = makerTrouble(ofMakers);
      if (trouble !== undefined) for (const member of lacking) member.tell(trouble);
    }
    for (const member of waiting()) {
      const { pod } = member;
      if (pod === undefined) continue;
      const fields = { 'involvedObject.uid': pod.metadata.uid };
      const { items } = await cluster.list('events', { fields });
      const trouble = podTrouble(member.pod ?? pod, items);
      if (trouble !== undefined) member.tell(trouble);
    }
  }
}
