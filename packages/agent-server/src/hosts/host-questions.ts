import type { HostQuestion } from '@roadstead/contracts/host';
import { HOST_WINDOW } from '@roadstead/contracts/host-peer';
import { Fifo, Problem } from '@roadstead/kit';
import type { Aside, RunSink } from './run-sink.ts';

type Answer = Awaited<ReturnType<RunSink['ask']>>;

export interface AskedOfEngine {
  readonly question: HostQuestion;
  readonly blobs: readonly Uint8Array[];
  /** The bytes that it takes in memory. */
  readonly bytes: number;
}

export interface HostQuestionsOptions {
  readonly answer: RunSink['ask'];
  /** Told whenever another amount of memory is held. */
  readonly onHeld: () => void;
  readonly limits?: QuestionLimits;
}

export interface QuestionLimits {
  readonly at_once: number;
  readonly waiting: number;
}

/** More than a deployment has connections to its database; and more than a host asks at a time that keeps to its window. */
const LIMITS: QuestionLimits = { at_once: 8, waiting: 4000 };

interface WaitingQuestion {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A write holds no place that it could give back. */
const inPlace: Aside = (work) => work();

/** The questions of one host: a few are worked on, the next ones wait in order, and no work is done for a host that is gone. */
export class HostQuestions {
  readonly #options: HostQuestionsOptions;
  readonly #limits: QuestionLimits;
  readonly #waiting = new Fifo<WaitingQuestion>();
  #working = 0;
  #held_bytes = 0;
  #closed: Error | undefined;

  constructor(options: HostQuestionsOptions) {
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
  }

  /** The bytes of the questions that are not answered. */
  get held_bytes(): number {
    return this.#held_bytes;
  }

  async ask(asked: AskedOfEngine): Promise<Answer> {
    if (this.#closed !== undefined) throw this.#closed;
    const { question, blobs } = asked;
    if (HOST_WINDOW.beside.includes(question.method))
      return this.#options.answer(question, { blobs, aside: inPlace });
    if (this.#waiting.length >= this.#limits.waiting)
      throw new Problem('limit', 'The graph host asks more at once than the engine can answer.');
    this.#hold(asked.bytes);
    try {
      await this.#enter();
      return await this.#answer(asked);
    } finally {
      this.#hold(-asked.bytes);
    }
  }

  /** Drops the waiting questions. */
  close(why: Error): void {
    this.#closed ??= why;
    for (const { reject } of this.#waiting.takeAll()) reject(why);
  }

  async #answer({ question, blobs }: AskedOfEngine): Promise<Answer> {
    let has_place = true;
    const aside: Aside = async (work) => {
      has_place = false;
      this.#leave();
      const done = await work();
      await this.#enter();
      has_place = true;
      return done;
    };
    try {
      return await this.#options.answer(question, { blobs, aside });
    } finally {
      if (has_place) this.#leave();
    }
  }

  /** Until it has a place; rejects where the host ends before. */
  #enter(): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#next();
    });
  }

  #leave(): void {
    this.#working -= 1;
    this.#next();
  }

  #next(): void {
    if (this.#working >= this.#limits.at_once) return;
    const next = this.#waiting.take();
    if (next === undefined) return;
    this.#working += 1;
    next.resolve();
  }

  #hold(bytes: number): void {
    this.#held_bytes += bytes;
    this.#options.onHeld();
  }
}
