import { Fifo } from '@roadstead/kit';
import type { TaskEvent } from '../tasks/task.ts';
import { joinPieces } from './push-rules.ts';

export interface QueuedEvent {
  readonly event: TaskEvent;
  /** Whether it stands for several events. */
  readonly is_joined: boolean;
}

/** Queues events until they are sent: pieces of one text that came meanwhile become one. */
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
   * The next event, merged with those after it that are sent with it: up to the number that `joins` answers, which are
   * awaited, or those present where it answers no number of theirs. Undefined at the end.
   */
  async next(joins: (first: TaskEvent) => number): Promise<QueuedEvent | undefined> {
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

  /**
   * Resolves to whether there is an event, once there is or none will come.
   * @throws what kept the events from being read
   */
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
