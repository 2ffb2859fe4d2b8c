import type { Seat } from './seat.ts';

/** What one owner holds of a bound, or all together; its parts are what it is made of. */
export class Share {
  readonly max: number;
  readonly parts = new Map<string, Share>();
  /** In the order of their coming. */
  readonly seats = new Set<Seat>();
  readonly #name: string;
  readonly #whole: Share | undefined;
  held = 0;
  /** How many of its seats wait. */
  waiting = 0;
  /** Which turn was its last; who was served last comes behind the others. */
  turn: number;

  constructor({ max, turn, name = '' }: { max: number; turn: number; name?: string }, whole?: Share) {
    this.max = max;
    this.turn = turn;
    this.#name = name;
    this.#whole = whole;
  }

  get oldest(): Seat | undefined {
    return this.seats.values().next().value;
  }

  /** From itself to all. */
  get path(): readonly Share[] {
    return [this, ...(this.#whole?.path ?? [])];
  }

  part(name: string, shape: { readonly max: number; readonly turn: number }): Share {
    const part = this.parts.get(name) ?? new Share({ ...shape, name }, this);
    this.parts.set(name, part);
    return part;
  }

  remove(seat: Seat): void {
    this.seats.delete(seat);
    if (this.seats.size === 0) this.#whole?.parts.delete(this.#name);
  }

  /** Who waits, fits, and is to go first: of who holds least, and of these who was served longest ago. */
  next(): Seat | undefined {
    if (this.waiting === 0) return undefined;
    if (this.parts.size === 0) return firstThatFits(this.seats);
    const waiting = [...this.parts.values()].filter((part) => part.waiting > 0);
    waiting.sort((one, other) => one.held - other.held || one.turn - other.turn);
    for (const part of waiting) {
      const seat = part.next();
      if (seat !== undefined) return seat;
    }
    return undefined;
  }

  /** The seat that is taken away first, of a part that holds more than so much; undefined where none may be. */
  largest(than: number): Seat | undefined {
    if (this.parts.size === 0) return largestOf(this.seats);
    const parts = [...this.parts.values()].filter((part) => part.held > than);
    for (const part of parts.sort((one, other) => other.held - one.held)) {
      const seat = part.largest(0);
      if (seat !== undefined) return seat;
    }
    return undefined;
  }
}

function firstThatFits(seats: Iterable<Seat>): Seat | undefined {
  for (const seat of seats) if (seat.isNext) return seat;
  return undefined;
}

function largestOf(seats: Iterable<Seat>): Seat | undefined {
  let most: Seat | undefined;
  for (const seat of seats) if (seat.mayBeEvicted && seat.held > (most?.held ?? 0)) most = seat;
  return most;
}
