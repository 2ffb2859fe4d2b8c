import { type Place, Seat } from './seat.ts';
import { Share } from './share.ts';

/**
 * The owner that a place counts for, from the whole to the part: a workspace, then one of its receivers. All owners
 * of one bound have names of equally many parts.
 */
export type Owner = readonly string[];

export interface AdmissionOptions {
  /** The total that all owners may hold together: places, bytes. */
  readonly size: number;
  /**
   * The most that one owner may hold, for each part of its name. The default is half of the level above, even while
   * no other owner is there, so that a newcomer finds room at once instead of waiting for work that takes minutes.
   */
  readonly most?: readonly number[];
  /**
   * Whether places grow while they are held. If so, the oldest place of each owner always gets what it needs, so that
   * holders never wait for each other.
   */
  readonly grows?: boolean;
}

/** A bound as the file that owns it declares it: its size, and the owner that a piece of work counts for. */
export interface Bound<Work> extends AdmissionOptions {
  readonly owner: (work: Work) => Owner;
}

export interface PlaceOptions {
  /**
   * Called when the place is taken away for an owner that holds less. Without this callback it is never taken away.
   */
  readonly onEvicted?: () => void;
}

/**
 * Shares a bound among owners. Owners take turns, starting with the one that holds least; within an owner, first come
 * is first served. An owner that holds nothing is admitted even for more than its share.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #all: Share;
  #turn = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#all = new Share({ max: options.size, turn: 0, grows: options.grows ?? false });
  }

  /** The units that one owner holds, or all owners together. */
  held(owner: Owner = []): number {
    return this.#find(owner)?.held ?? 0;
  }

  /** The number of places of an owner that wait. */
  waiting(owner: Owner): number {
    return this.#find(owner)?.waiting ?? 0;
  }

  /** A place that holds nothing yet. */
  enter(owner: Owner, { onEvicted }: PlaceOptions = {}): Place {
    const { most = [], grows = false } = this.#options;
    const share = owner.reduce((whole, name, level) => {
      const max = most[level] ?? Math.max(1, Math.floor(whole.max / 2));
      // A newcomer goes before the owner that was served last, and behind all that have waited longer.
      return whole.part(name, { max, turn: this.#turn - 0.5 });
    }, this.#all);
    return new Seat(share, {
      onEvicted,
      grows,
      onServed: (seat) => this.#note(seat),
      onFree: () => this.#admit(),
    });
  }

  /** A place that holds this many units; undefined where there is no room now. */
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

  /** Admits the places that wait and fit, in turns. */
  #admit(): void {
    for (let seat; (seat = this.#all.next()) !== undefined;) seat.go();
  }

  #note({ shares }: Seat): void {
    this.#turn += 1;
    for (const share of shares) share.turn = this.#turn;
  }
}
