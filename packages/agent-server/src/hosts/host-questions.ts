import { Fifo, Problem } from '@roadstead/kit';
import type { RunSink } from './revision-hosts-options.ts';

type Answer = Awaited<ReturnType<RunSink['ask']>>;

export interface AskedOfEngine {
  readonly method: string;
  readonly params: unknown;
  readonly blobs: readonly Uint8Array[];
  /** What it takes in memory. */
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

/** More than a deployment has connections to its database; and more than the runs of a host ask at a time. */
const LIMITS: QuestionLimits = { at_once: 8, waiting: 4000 };
/** What a run writes is taken in the order of its coming, and bounded where it is written. */
const WRITES: readonly string[] = ['emit', 'checkpoint.put', 'checkpoint.put_writes'];

interface WaitingQuestion {
  readonly asked: AskedOfEngine;
  readonly resolve: (answer: Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
}

/** What one host asks: a few questions are worked at, the next ones wait in order, and none is for a host that is gone. */
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

  /** Of the questions that are not answered. */
  get held_bytes(): number {
    return this.#held_bytes;
  }

  async ask(asked: AskedOfEngine): Promise<Answer> {
    if (this.#closed !== undefined) throw this.#closed;
    if (WRITES.includes(asked.method)) return this.#options.answer(asked.method, asked.params, asked.blobs);
    if (this.#waiting.length >= this.#limits.waiting)
      throw new Problem('limit', 'The graph host asks more at once than the engine can answer.');
    this.#hold(asked.bytes);
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.#waiting.push({ asked, resolve, reject });
        this.#next();
      });
    } finally {
      this.#hold(-asked.bytes);
    }
  }

  /** What waits is not worked at any more. */
  close(why: Error): void {
    this.#closed ??= why;
    for (const { reject } of this.#waiting.takeAll()) reject(why);
  }

  #next(): void {
    if (this.#working >= this.#limits.at_once) return;
    const next = this.#waiting.take();
    if (next === undefined) return;
    const { method, params, blobs } = next.asked;
    this.#working += 1;
    const answered = this.#options.answer(method, params, blobs).finally(() => {
      this.#working -= 1;
      this.#next();
    });
    next.resolve(answered);
  }

  #hold(bytes: number): void {
    this.#held_bytes += bytes;
    this.#options.onHeld();
  }
}
