import { type Place, Seat } from './seat.ts';
import { Share } from './share.ts';

/**
 * Whom a place counts for, from the whole to the part: a workspace, then one of its receivers. The owners of one bound have
 * names of as many parts.
 */
export type Owner = readonly string[];

export interface AdmissionOptions {
  /** What all may hold together: places, bytes. */
  readonly size: number;
  /**
   * What one owner may hold, for each part of its name. Half of what is above by default, also while nobody else is
   * there: who comes next finds room at once, and need not wait for what takes minutes.
   */
  readonly most?: readonly number[];
  /**
   * Whether places grow while they are held. Then the oldest of each owner always gets what it needs, lest those that hold
   * something wait for each other.
   */
  readonly grows?: boolean;
}

/** A bound as the file that has it states it: how much there is, and whom a piece of work counts for. */
export interface Bound<Work> extends AdmissionOptions {
  readonly owner: (work: Work) => Owner;
}

export interface PlaceOptions {
  /** Called when the place is taken away for somebody who holds less. Without it, it never is. */
  readonly onEvicted?: () => void;
}

/**
 * How a bound is shared. Owners take turns, first the one that holds least; within an owner who came first goes first. More
 * than an owner may hold is admitted while it holds nothing else.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #all: Share;
  #turn = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#all = new Share({ max: options.size, turn: 0, grows: options.grows ?? false });
  }

  /** What all hold together, or one owner. */
  held(owner: Owner = []): number {
    return this.#find(owner)?.held ?? 0;
  }

  /** How many of an owner wait. */
  waiting(owner: Owner): number {
    return this.#find(owner)?.waiting ?? 0;
  }

  /** A place that holds nothing yet. */
  enter(owner: Owner, { onEvicted }: PlaceOptions = {}): Place {
    const { most = [], grows = false } = this.#options;
    const share = owner.reduce((whole, name, level) => {
      const max = most[level] ?? Math.max(1, Math.floor(whole.max / 2));
      // Who comes anew goes before who was served last, and behind all who wait for longer.
      return whole.part(name, { max, turn: this.#turn - 0.5 });
    }, this.#all);
    return new Seat(share, {
      onEvicted,
      grows,
      onServed: (seat) => this.#note(seat),
      onFree: () => this.#admit(),
    });
  }

  /** A place that holds so many units; undefined where there is no room now. */
  tryTake(owner: Owner, units = 1): Place | undefined {
    const place = this.enter(owner);
    if (place.tryHold(units)) return place;
    place[Symbol.dispose]();
    return undefined;
  }

  /** A place that holds one unit, once it is its turn. Throws the signal's reason when it aborts before. */
  async take(owner: Owner, signal?: AbortSignal): Promise<Place> {
    const place = this.enter(owner);
    try {
      await place.hold(1, signal);
      return place;
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    }
  }

  #find(owner: Owner): Share | undefined {
    return owner.reduce<Share | undefined>((share, name) => share?.parts.get(name), this.#all);
  }

  /** Lets in whoever waits and fits, in turns. */
  #admit(): void {
    for (let seat; (seat = this.#all.next()) !== undefined;) seat.go();
  }

  #note({ shares }: Seat): void {
    this.#turn += 1;
    for (const share of shares) share.turn = this.#turn;
  }
}
