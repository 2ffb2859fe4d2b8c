import { Fifo } from '@roadstead/kit';
import type { TaskEvent } from '../tasks/task.ts';
import { joinPieces } from './push-rules.ts';

export interface Waiting {
  readonly event: TaskEvent;
  /** It stands for several. */
  readonly is_joined: boolean;
}

/** Events as they are taken: pieces of one text that came meanwhile are one. */
export class Backlog {
  readonly #waiting = new Fifo<TaskEvent>();
  readonly #signal: AbortSignal;
  #wake = () => {};
  #ended = false;
  #failure: unknown;

  constructor(events: AsyncIterable<TaskEvent>, signal: AbortSignal) {
    this.#signal = signal;
    void this.#pump(events);
  }

  /**
   * The next event, with those after it that are told with it: up to the number that `joins` answers, which are waited for,
   * or those that are there where that is no number of theirs. Undefined at the end.
   */
  async next(joins: (first: TaskEvent) => number): Promise<Waiting | undefined> {
    if (!(await this.#more())) return undefined;
    let event = this.#waiting.take() as TaskEvent;
    const most = joins(event);
    let is_joined = false;
    for (;;) {
      if (event.seq >= most) break;
      if (this.#waiting.length === 0 && (most === Infinity || !(await this.#more()))) break;
      const following: TaskEvent | undefined = this.#waiting.first;
      const joined: TaskEvent | undefined =
        following && following.seq <= most ? joinPieces(event, following) : undefined;
      if (joined === undefined) break;
      this.#waiting.take();
      event = joined;
      is_joined = true;
    }
    return { event, is_joined };
  }

  /** Whether there is one, once there is or there will be none. @throws what kept the events from being read */
  async #more(): Promise<boolean> {
    while (this.#waiting.length === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#ended || this.#signal.aborted) return false;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (this.#waiting.length > 0 || this.#ended) resolve();
      });
    }
    return true;
  }

  async #pump(events: AsyncIterable<TaskEvent>): Promise<void> {
    try {
      for await (const event of events) {
        this.#waiting.push(event);
        this.#wake();
      }
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#ended = true;
      this.#wake();
    }
  }
}
