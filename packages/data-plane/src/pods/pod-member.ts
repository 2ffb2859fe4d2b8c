import type { HostEnd } from '@roadstead/agent-server';
import type { Pod, StoredObject } from '@roadstead/kubernetes';
import { endOf, hasBegun } from './pod-end.ts';
import type { PodTrouble } from './pod-trouble.ts';

export interface PodMemberOptions {
  /** The container of the pod that decides when it has ended. */
  readonly container: string;
  /** Told that its pod is lost before it began: another one is wanted in its place. */
  readonly onLost: (member: PodMember, pod: StoredObject<Pod>) => void;
  /** Told that its pod is to end by itself, within so many seconds, and not to be replaced; resolves once the cluster knows. */
  readonly onRetired?: (member: PodMember, grace_s: number) => Promise<void>;
  /** Told that it wants no pod any more, once what it printed last was read. */
  readonly onLeft: (member: PodMember) => void;
}

/** How long a pod may take to begin: nodes are added, and images fetched. */
const PATIENCE_MS = 300_000;

/** One who wants a pod, and has it from when there is one until its end. */
export class PodMember {
  readonly ended: Promise<HostEnd>;
  /** Resolves once the container runs; never where it does not. */
  readonly begun: Promise<void>;
  readonly #begun = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<HostEnd>();
  readonly #options: PodMemberOptions;
  readonly #late: NodeJS.Timeout;
  #pod: StoredObject<Pod> | undefined;
  #has_ended = false;
  #has_begun = false;
  #has_retired = false;
  #has_ended_itself = false;
  /** What was told last, and what of it holds now. */
  #trouble: PodTrouble | undefined;
  #present: PodTrouble | undefined;
  /** What its pod gets to end, where it was asked to. */
  #grace_s: number | undefined;
  /** Told whatever becomes of its pod. */
  onChange: ((pod: StoredObject<Pod>) => void) | undefined;
  /** Told what keeps its pod from running, each time that it is something else. */
  onTrouble: ((sentence: string) => void) | undefined;
  /** Told what keeps its pod from running and will pass, while it lasts; undefined once it is over. */
  onHindrance: ((hindrance: PodTrouble | undefined) => void) | undefined;
  /** Resolves once what it printed last was read. */
  lastWords: (() => Promise<void>) | undefined;

  constructor(options: PodMemberOptions) {
    this.#options = options;
    this.ended = this.#ended.promise;
    this.begun = this.#begun.promise;
    this.#late = setTimeout(() => this.#giveUp(), PATIENCE_MS).unref();
  }

  get pod(): StoredObject<Pod> | undefined {
    return this.#pod;
  }

  get hasEnded(): boolean {
    return this.#has_ended;
  }

  /** Whether its program ended before anybody ended it. */
  get hasEndedItself(): boolean {
    return this.#has_ended_itself;
  }

  get hasRetired(): boolean {
    return this.#has_retired;
  }

  get grace_s(): number | undefined {
    return this.#grace_s;
  }

  /** Whether it still waits for its container to run. */
  get isWaiting(): boolean {
    return !this.#has_begun && !this.#has_ended;
  }

  see(pod: StoredObject<Pod>): void {
    if (this.#has_ended) return;
    this.#pod = pod;
    const { container } = this.#options;
    if (!this.#has_begun && hasBegun(pod, container)) {
      this.#has_begun = true;
      clearTimeout(this.#late);
      this.#hinder(undefined);
      this.#begun.resolve();
    }
    this.onChange?.(pod);
    const end = endOf(pod, container);
    // One that has retired is there until its program has ended.
    if (end === undefined || (this.#has_retired && end.kind === 'lost')) return;
    if (end.kind === 'lost' && !this.#has_begun) this.lose();
    else {
      this.#has_ended_itself = true;
      this.end(end);
    }
  }

  /** Its pod is lost: where it had not begun, that is nobody's end. */
  lose(): void {
    const pod = this.#pod;
    if (this.#has_begun || pod === undefined) return this.end({ kind: 'lost', why: 'its pod was deleted.' });
    this.#pod = undefined;
    this.#options.onLost(this, pod);
  }

  /** Takes notice of what keeps its pod from running, or that nothing does: what does not pass is its end. */
  tell(trouble: PodTrouble | undefined): void {
    if (!this.isWaiting) return;
    if (trouble === undefined) return this.#hinder(undefined);
    const { code, sentence, passes } = trouble;
    if (sentence !== this.#trouble?.sentence) this.onTrouble?.(sentence);
    this.#trouble = trouble;
    if (passes) this.#hinder(trouble);
    else this.end({ kind: 'refused', code, sentence });
  }

  /** Lets its pod end by itself, within so many seconds: nothing starts its container again. */
  async retire(grace_s: number): Promise<void> {
    if (this.#has_ended || this.#pod === undefined) return;
    this.#has_retired = true;
    await this.#options.onRetired?.(this, grace_s);
  }

  /** Wants its pod no longer; the first end counts. */
  end(
    how: HostEnd,
    { at_once = false, grace_s }: { readonly at_once?: boolean; readonly grace_s?: number } = {},
  ): void {
    if (this.#has_ended) return;
    this.#has_ended = true;
    this.#grace_s = grace_s;
    clearTimeout(this.#late);
    this.#hinder(undefined);
    this.#ended.resolve(how);
    const read = at_once ? Promise.resolve() : (this.lastWords?.() ?? Promise.resolve());
    void read.finally(() => this.#options.onLeft(this));
  }

  #hinder(present: PodTrouble | undefined): void {
    if (present?.sentence === this.#present?.sentence) return;
    this.#present = present;
    this.onHindrance?.(present);
  }

  #giveUp(): void {
    const { code = 'pod_late', sentence = `Its pod did not begin within ${PATIENCE_MS / 1000} s.` } =
      this.#trouble ?? {};
    this.end({ kind: 'refused', code, sentence });
  }
}
