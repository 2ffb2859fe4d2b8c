import { setTimeout as pause } from 'node:timers/promises';
import {
  type KubernetesClient,
  KubernetesRefusal,
  type OwnerReference,
  type Pod,
  type StoredObject,
} from '@roadstead/kubernetes';
import type { Log } from '@roadstead/kit';
import { clusterTrouble } from './cluster-trouble.ts';
import { PodMember } from './pod-member.ts';
import type { PodTrouble } from './pod-trouble.ts';
import { Resync } from './resync.ts';
import { TroubleWatch } from './trouble-watch.ts';

/** What bears the name of a group. */
const OWN = ['deployments', 'poddisruptionbudgets'] as const;
/** How long a cluster that is away is left alone. */
const AGAIN_MS = 1000;
/** What a pod gets to end that nobody wants: its container is ended by then, and its node says so. */
const GRACE_S = 1;

export interface PodGroupOptions {
  readonly cluster: KubernetesClient;
  readonly name: string;
  /** The container of a pod that decides when it has ended. */
  readonly container: string;
  /** The names of what goes with it. */
  readonly secrets: readonly string[];
  readonly ensureOwner: () => Promise<OwnerReference>;
  /** Told that the owner may be there no longer, or another one: it is written again when it is next asked for. */
  readonly doubtOwner: () => void;
  /** Writes what the pods need beside their deployment. */
  readonly prepare: (owner: OwnerReference) => Promise<void>;
  /** Writes the deployment, for so many pods. */
  readonly scale: (owner: OwnerReference, replicas: number) => Promise<void>;
  /** Called once nobody is in it; nobody joins it after that. */
  readonly onEmpty: () => void;
  /** How often all of it is written again. */
  readonly resync_ms?: number | undefined;
  readonly log: Log;
}

interface UnwantedPod {
  readonly pod: StoredObject<Pod>;
  readonly grace_s: number;
  /** Whether its end was asked for; it is there for a while after that. */
  is_deleted: boolean;
  /** Resolves once its node is to end it. */
  readonly deleted: PromiseWithResolvers<void>;
}

/** The pods of one deployment of Kubernetes: as many as it has members, each of which gets one. */
export class PodGroup {
  readonly #options: PodGroupOptions;
  readonly #members = new Set<PodMember>();
  /** The pods whose member has left, until they are gone. */
  readonly #unwanted = new Map<string, UnwantedPod>();
  /** Those that were gone before their member had left. */
  readonly #gone = new Set<string>();
  /** The pods that nobody has. */
  readonly #free = new Map<string, StoredObject<Pod>>();
  readonly #troubles: TroubleWatch;
  readonly #resync: Resync;
  #is_prepared = false;
  /** Why the cluster did not take what is wanted, until it does. */
  #refusal: PodTrouble | undefined;
  #is_dirty = false;
  #is_following = false;

  constructor(options: PodGroupOptions) {
    this.#options = options;
    this.#troubles = new TroubleWatch({
      ...options,
      waiting: () => [...this.#members].filter(({ isWaiting }) => isWaiting),
      refusal: () => this.#refusal,
    });
    this.#resync = new Resync({
      ...(options.resync_ms === undefined ? {} : { after_ms: options.resync_ms }),
      onDue: () => {
        this.#doubt();
        this.#follow();
      },
    });
  }

  get name(): string {
    return this.#options.name;
  }

  /** Where its pods are. */
  get cluster(): KubernetesClient {
    return this.#options.cluster;
  }

  /** Wants one more pod. */
  join(): PodMember {
    const member = new PodMember({
      container: this.#options.container,
      onLost: (loser, pod) => this.#lost(loser, pod),
      onRetired: (retired, grace_s) => this.#retire(retired, grace_s),
      onLeft: (left) => this.#left(left),
    });
    this.#members.add(member);
    this.#troubles.begin();
    // After its caller knows it.
    queueMicrotask(() => this.#give());
    this.#follow();
    return member;
  }

  /** Takes notice of a pod as it is now. */
  see(pod: StoredObject<Pod>): void {
    const { uid, deletionTimestamp } = pod.metadata;
    const own = this.#ownerOf(pod);
    if (deletionTimestamp !== undefined) this.#unwanted.get(uid)?.deleted.resolve();
    if (own !== undefined) own.see(pod);
    else if (this.#unwanted.has(uid)) return;
    else if (deletionTimestamp !== undefined) this.#free.delete(uid);
    else {
      this.#free.set(uid, pod);
      this.#give();
    }
  }

  /** Takes notice that a pod is no longer there. */
  gone(pod: StoredObject<Pod>): void {
    const { uid } = pod.metadata;
    this.#free.delete(uid);
    // Whoever removed it may have removed what it was made by, too.
    if (!this.#unwanted.delete(uid)) this.#doubt();
    const own = this.#ownerOf(pod);
    if (own === undefined) return;
    this.#gone.add(uid);
    own.lose();
  }

  #ownerOf({ metadata: { uid } }: StoredObject<Pod>): PodMember | undefined {
    return [...this.#members].find((member) => member.pod?.metadata.uid === uid);
  }

  /** Gives pods that nobody has to those who have none, in order. */
  #give(): void {
    for (const [uid, pod] of this.#free) {
      const member = [...this.#members].find((one) => one.pod === undefined && !one.hasEnded);
      if (member === undefined) return;
      this.#free.delete(uid);
      member.see(pod);
    }
  }

  /** What stands in the cluster may be other than it was written. */
  #doubt(): void {
    this.#is_prepared = false;
    this.#options.doubtOwner();
  }

  #lost(member: PodMember, pod: StoredObject<Pod>): void {
    this.#unwant(pod, GRACE_S);
    if (member.isWaiting) this.#give();
    this.#follow();
  }

  /** Its node is told before its program ends: otherwise it would start its container again. */
  async #retire({ pod }: PodMember, grace_s: number): Promise<void> {
    if (pod === undefined) return;
    const unwanted = unwantedPod(pod, grace_s);
    this.#unwanted.set(pod.metadata.uid, unwanted);
    this.#follow();
    await unwanted.deleted.promise;
  }

  #left(member: PodMember): void {
    const { pod, grace_s = GRACE_S } = member;
    this.#members.delete(member);
    // A pod that was retired goes by itself.
    if (pod !== undefined && !(member.hasRetired && member.hasEndedItself)) this.#unwant(pod, grace_s);
    this.#follow();
  }

  /** One that is gone is told of no more. */
  #unwant(pod: StoredObject<Pod>, grace_s: number): void {
    const { uid } = pod.metadata;
    if (this.#gone.delete(uid)) return;
    this.#unwanted.get(uid)?.deleted.resolve();
    this.#unwanted.set(uid, unwantedPod(pod, grace_s));
  }

  /** Brings the cluster to what is wanted; one at a time. */
  #follow(): void {
    this.#is_dirty = true;
    if (this.#is_following) return;
    this.#is_following = true;
    void this.#untilFollowed();
  }

  async #untilFollowed(): Promise<void> {
    let failures = 0;
    while (this.#is_dirty) {
      this.#is_dirty = false;
      try {
        if (this.#members.size === 0) return await this.#close();
        await this.#apply();
        this.#refusal = undefined;
        failures = 0;
      } catch (error) {
        this.#is_dirty = true;
        failures += 1;
        if (failures === 1) this.#options.log.warn('the cluster did not take what is wanted', { error });
        this.#refuse(clusterTrouble(error));
        await pause(AGAIN_MS, undefined, { ref: false });
      }
    }
    // In the same turn as the last look: whoever comes after it begins anew.
    this.#is_following = false;
  }

  /** What the cluster refuses is the end of those who wait for it, unless it passes. */
  #refuse(trouble: PodTrouble): void {
    this.#refusal = trouble;
    for (const member of this.#members) if (member.pod === undefined) member.tell(trouble);
  }

  async #apply(): Promise<void> {
    const { ensureOwner, prepare, scale } = this.#options;
    const owner = await ensureOwner();
    if (!this.#is_prepared) {
      this.#is_prepared = true;
      await prepare(owner).catch((error: unknown) => {
        this.#is_prepared = false;
        throw error;
      });
    }
    const wanted = [...this.#members].filter(({ hasRetired }) => !hasRetired).length;
    // First: what replaces them is the newest, and the first to go where fewer are wanted. Where none is wanted all go, and nothing
    // replaces them.
    if (wanted > 0) await this.#removeUnwanted();
    await scale(owner, wanted);
  }

  async #removeUnwanted(): Promise<void> {
    for (const unwanted of this.#unwanted.values()) {
      if (unwanted.is_deleted) continue;
      const { grace_s } = unwanted;
      const { name, uid } = unwanted.pod.metadata;
      await this.#options.cluster.delete('pods', { name, uid, grace_s }).catch(ifGone);
      unwanted.is_deleted = true;
      unwanted.deleted.resolve();
    }
  }

  /** It is following for ever: nobody joins any more. */
  async #close(): Promise<void> {
    const { cluster, name, onEmpty, log } = this.#options;
    this.#resync[Symbol.dispose]();
    onEmpty();
    for (let tries = 1; ; tries += 1) {
      try {
        for (const resource of OWN) await cluster.delete(resource, { name, propagation: 'Background' });
        for (const secret of this.#options.secrets) await cluster.delete('secrets', { name: secret });
        await this.#removeUnwanted();
        return;
      } catch (error) {
        if (tries === 1) log.warn('a deployment of pods could not be removed', { name, error });
      }
      await pause(AGAIN_MS * Math.min(tries, 20), undefined, { ref: false });
    }
  }
}

const unwantedPod = (pod: StoredObject<Pod>, grace_s: number): UnwantedPod => ({
  pod,
  grace_s,
  is_deleted: false,
  deleted: Promise.withResolvers<void>(),
});

/** One that is gone, or another by its name, is none to change. */
function ifGone(error: unknown): void {
  if (error instanceof KubernetesRefusal && [404, 409].includes(error.status)) return;
  throw error;
}
