/** So many places of what is taken stay empty before the rest is moved. */
const EMPTY = 1024;

/** First in, first out, in the same time however many wait: taking the first of a long array moves all the others. */
export class Fifo<T> {
  /** What is taken is not kept alive: its place is empty. */
  #items: (T | undefined)[] = [];
  /** Where the first one is. */
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

  /** Takes the first that is so out of its turn. */
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

  /** Without the empty places. */
  #restart(): void {
    this.#items = this.takeAll();
  }
}
