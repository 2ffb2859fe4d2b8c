interface ShareShape {
  readonly max: number;
  readonly turn: number;
  readonly name?: string;
  /** Whether places grow: see `AdmissionOptions`. */
  readonly grows: boolean;
}

/** The interface that a share needs of each seat that holds part of it, or waits. */
export interface Occupant {
  readonly held: number;
  readonly mayBeEvicted: boolean;
  /** Whether it waits and its units are available. */
  readonly isNext: boolean;
  /** Hands it the units that it waits for. */
  go(): void;
  evict(): void;
}

/** The units that one owner holds of a bound, or all owners together, divided into parts. */
export class Share {
  readonly max: number;
  readonly parts = new Map<string, Share>();
  /** In order of arrival. */
  readonly seats = new Set<Occupant>();
  readonly #name: string;
  readonly #grows: boolean;
  readonly #whole: Share | undefined;
  held = 0;
  /** The number of its seats that may be evicted. */
  #evictable = 0;
  /** The number of its seats that wait. */
  waiting = 0;
  /** Its last turn; the owner that was served last comes behind the others. */
  turn: number;

  constructor({ max, turn, name = '', grows }: ShareShape, whole?: Share) {
    this.max = max;
    this.turn = turn;
    this.#name = name;
    this.#grows = grows;
    this.#whole = whole;
  }

  get oldest(): Occupant | undefined {
    return this.seats.values().next().value;
  }

  /** From itself to all. */
  get path(): readonly Share[] {
    return [this, ...(this.#whole?.path ?? [])];
  }

  /** A full share asks none of its seats, however many wait, unless one that grows may go on. */
  get #mayHaveNext(): boolean {
    return this.waiting > 0 && (this.#grows || this.held < this.max);
  }

  part(name: string, shape: Pick<ShareShape, 'max' | 'turn'>): Share {
    const part = this.parts.get(name) ?? new Share({ ...shape, name, grows: this.#grows }, this);
    this.parts.set(name, part);
    return part;
  }

  add(seat: Occupant): void {
    this.seats.add(seat);
    this.#evictable += Number(seat.mayBeEvicted);
  }

  remove(seat: Occupant): void {
    this.seats.delete(seat);
    this.#evictable -= Number(seat.mayBeEvicted);
    if (this.seats.size === 0) this.#whole?.parts.delete(this.#name);
  }

  /**
   * The seat to serve next: of those that wait and fit, one of the owner that holds least, and among equals of the
   * one served longest ago.
   */
  next(): Occupant | undefined {
    if (!this.#mayHaveNext) return undefined;
    if (this.parts.size === 0) return firstThatFits(this.seats);
    const asked = new Set<Share>();
    for (let part; (part = this.#firstPart(asked)) !== undefined; asked.add(part)) {
      const seat = part.next();
      if (seat !== undefined) return seat;
    }
    return undefined;
  }

  /** Called for each place that is returned. There may be many parts, so they are not sorted. */
  #firstPart(asked: ReadonlySet<Share>): Share | undefined {
    let first: Share | undefined;
    for (const part of this.parts.values())
      if (part.#mayHaveNext && !asked.has(part) && (first === undefined || part.#isBefore(first)))
        first = part;
    return first;
  }

  #isBefore({ held, turn }: Share): boolean {
    return this.held < held || (this.held === held && this.turn < turn);
  }

  /** The seat to evict first, from a part that holds more than this; undefined where none may be evicted. */
  largest(than: number): Occupant | undefined {
    if (this.#evictable === 0) return undefined;
    if (this.parts.size === 0) return largestOf(this.seats);
    const parts = [...this.parts.values()].filter((part) => part.held > than);
    for (const part of parts.sort((one, other) => other.held - one.held)) {
      const seat = part.largest(0);
      if (seat !== undefined) return seat;
    }
    return undefined;
  }
}

function firstThatFits(seats: Iterable<Occupant>): Occupant | undefined {
  for (const seat of seats) if (seat.isNext) return seat;
  return undefined;
}

function largestOf(seats: Iterable<Occupant>): Occupant | undefined {
  let most: Occupant | undefined;
  for (const seat of seats) if (seat.mayBeEvicted && seat.held > (most?.held ?? 0)) most = seat;
  return most;
}
