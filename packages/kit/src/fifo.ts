/** This many places of taken items stay empty before the rest is moved. */
const EMPTY = 1024;

/** First in, first out, in constant time: shifting a long array would move all its items. */
export class Fifo<T> {
  /** Taken items are not kept alive: their places are empty. */
  #items: (T | undefined)[] = [];
  /** The index of the first item. */
  #at = 0;

  get length(): number {
    return this.#items.length - this.#at;
  }

  get first(): T | undefined {
    return this.#items[this.#at];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  take(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#at];
    this.#items[this.#at] = undefined;
    this.#at += 1;
    if (this.length === 0 || (this.#at >= EMPTY && this.#at * 2 >= this.#items.length)) this.#restart();
    return item;
  }

  /** Takes the first item that matches, out of its turn. */
  remove(isWanted: (item: T) => boolean): T | undefined {
    const items = this.takeAll();
    const found = items.findIndex(isWanted);
    this.#items = found < 0 ? items : items.toSpliced(found, 1);
    return items[found];
  }

  takeAll(): T[] {
    const items = this.#items.slice(this.#at) as T[];
    this.#items = [];
    this.#at = 0;
    return items;
  }

  /** Drops the empty places. */
  #restart(): void {
    this.#items = this.takeAll();
  }
}
