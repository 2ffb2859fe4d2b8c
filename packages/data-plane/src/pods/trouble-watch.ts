import type { KubernetesClient } from '@roadstead/kubernetes';
import type { PodMember } from './pod-member.ts';
import type { PodTrouble } from './pod-trouble.ts';
import { makerTrouble, podTrouble } from './pod-trouble-rules.ts';

export interface TroubleWatchOptions {
  readonly cluster: KubernetesClient;
  /** The container that the pods are for. */
  readonly container: string;
  /** The name of what makes the pods: that of a ReplicaSet begins with it, that of a Job is it. */
  readonly name: string;
  /** Those whose pod has not begun. */
  readonly waiting: () => readonly PodMember[];
  /** Why the cluster takes nothing that pods would be made by. */
  readonly refusal?: () => PodTrouble | undefined;
}

/** How often those who wait are looked after: one look finds what there is, and 5 s are promised. */
export const LOOK_MS = 2000;

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
    const { cluster, container, name, waiting, refusal } = this.#options;
    const lacking = waiting().filter(({ pod }) => pod === undefined);
    if (lacking.length > 0) {
      const { items } = await cluster.list('events', { fields: { reason: 'FailedCreate' } });
      const ofMakers = items.filter(
        ({ involvedObject: { kind = '', name: maker = '' } }) =>
          (kind === 'ReplicaSet' && maker.startsWith(`${name}-`)) || (kind === 'Job' && maker === name),
      );
      const trouble = refusal?.() ?? makerTrouble(ofMakers);
      for (const member of lacking) if (member.pod === undefined) member.tell(trouble);
    }
    for (const member of waiting()) {
      const { pod } = member;
      if (pod === undefined) continue;
      const fields = { 'involvedObject.uid': pod.metadata.uid };
      const { items } = await cluster.list('events', { fields });
      member.tell(podTrouble(member.pod ?? pod, { events: items, container }));
    }
  }
}
