import type { Occupant, Share } from './share.ts';

/** The units of a bound that one piece of work holds. Disposing returns them, and ends its waiting. */
export interface Place extends Disposable {
  readonly held: number;
  /**
   * Holds this many units from now on, if there is room. Room is made by evicting owners that hold more, where
   * eviction is allowed.
   */
  tryHold(units: number): boolean;
  /** Holds this many units from now on even if there is no room: they were promised before. */
  holdPromised(units: number): void;
  /**
   * Holds this many units once it is its turn. Throws the signal's reason when it aborts before. A place that already
   * holds something may wait for more only where places grow; otherwise two such places could wait for each other.
   */
  hold(units: number, signal?: AbortSignal): Promise<void>;
}

export interface SeatOptions {
  readonly onEvicted: (() => void) | undefined;
  /** Whether places grow: see `AdmissionOptions`. */
  readonly grows: boolean;
  /** Called when it was given more. */
  readonly onServed: (seat: Seat) => void;
  /** Called when units were returned. */
  readonly onFree: () => void;
}

interface Wish {
  readonly units: number;
  readonly go: () => void;
}

/** A place, and the shares that it counts in. */
export class Seat implements Place, Occupant {
  /** The share of its owner comes first, that of all owners last. */
  readonly shares: readonly Share[];
  readonly #options: SeatOptions;
  #held = 0;
  #wish: Wish | undefined;
  #isGone = false;

  constructor(owner: Share, options: SeatOptions) {
    this.#options = options;
    this.shares = owner.path;
    for (const share of this.shares) share.add(this);
  }

  get held(): number {
    return this.#held;
  }

  get mayBeEvicted(): boolean {
    return this.#options.onEvicted !== undefined;
  }

  /** Whether it waits and its units are available. */
  get isNext(): boolean {
    return this.#wish !== undefined && this.#fits(this.#wish.units);
  }

  tryHold(units: number): boolean {
    if (this.#isGone) throw new Error('This place was given back.');
    const evicted = this.#makeRoom(units);
    const fits = this.#fits(units);
    if (fits) this.#set(units);
    // Eviction may have freed more units than were needed.
    if (evicted > 0) this.#options.onFree();
    return fits;
  }

  holdPromised(units: number): void {
    if (!this.#isGone) this.#set(units);
  }

  async hold(units: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.tryHold(units)) return;
    if (this.#held > 0 && !this.#options.grows)
      throw new Error('A place that holds something waits for more only where places grow.');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      this.#wishFor(undefined);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#wishFor({
      units,
      go: () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      },
    });
    await promise;
  }

  /** Hands it the units that it waits for. */
  go(): void {
    const wish = this.#wish;
    if (wish === undefined) return;
    this.#wishFor(undefined);
    this.#set(wish.units);
    wish.go();
  }

  evict(): void {
    this.#leave();
    this.#options.onEvicted?.();
  }

  [Symbol.dispose](): void {
    if (this.#isGone) return;
    this.#leave();
    this.#options.onFree();
  }

  #leave(): void {
    this.#isGone = true;
    this.#wishFor(undefined);
    this.#count(0);
    for (const share of this.shares) share.remove(this);
  }

  #set(units: number): void {
    const more = units - this.#held;
    this.#count(units);
    if (more > 0) this.#options.onServed(this);
    else if (more < 0) this.#options.onFree();
  }

  #count(units: number): void {
    for (const share of this.shares) share.held += units - this.#held;
    this.#held = units;
  }

  #wishFor(wish: Wish | undefined): void {
    const change = Number(wish !== undefined) - Number(this.#wish !== undefined);
    for (const share of this.shares) share.waiting += change;
    this.#wish = wish;
  }

  #fits(units: number): boolean {
    return units <= this.#held || this.shares.every((share) => !this.#isOver(share, units));
  }

  #isOver(share: Share, units: number): boolean {
    const goesOn = share.held === this.#held || (this.#options.grows && share.oldest === this);
    return !goesOn && share.held + units - this.#held > share.max;
  }

  /**
   * Evicts places of owners that will hold more than this one, the largest first; an owner's own part never pays for
   * itself.
   * @returns the number of owners evicted from
   */
  #makeRoom(units: number): number {
    let evicted = 0;
    if (units <= this.#held) return evicted;
    for (const [at, share] of this.shares.entries()) {
      const own = this.shares[at - 1];
      for (; this.#isOver(share, units); evicted += 1) {
        const most = own && share.largest(own.held + units - this.#held);
        if (most === undefined) return evicted;
        most.evict();
      }
    }
    return evicted;
  }
}
