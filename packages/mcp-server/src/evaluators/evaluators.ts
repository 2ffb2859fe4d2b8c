import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { malformed } from '@roadstead/kit';
import type { EvaluatorAnswer, EvaluatorJob } from './evaluator-job.ts';
import { failed, type Score, scoreOf } from './score-rules.ts';
import { whyUnusable } from './usable-rules.ts';

/** Longer than a call may take inside: the thread is killed where even its interpreter hangs. */
const LIMIT_MS = 5000;
/** The limit of all calls together. */
const BUDGET_MS = 60_000;
/** The limit of each argument. */
const MAX_GIVEN_BYTES = 100_000;
const MAX_HEAP_MB = 128;
const STACK_MB = 16;

export interface EvaluatorOptions {
  /** The code of each evaluator, by its key. */
  readonly codes: Readonly<Record<string, string>>;
  readonly budget_ms?: number;
}

/** Evaluators on a thread of their own, one call at a time. */
export class Evaluators implements AsyncDisposable {
  readonly #codes: readonly (readonly [key: string, code: string])[];
  #left_ms: number;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ codes, budget_ms = BUDGET_MS }: EvaluatorOptions) {
    this.#codes = Object.entries(codes);
    this.#left_ms = budget_ms;
  }

  /** @throws Problem `malformed` that names the evaluator whose code is no function */
  async check(): Promise<void> {
    for (const [key, code] of this.#codes) {
      const answer = await this.#inTurn({ code });
      if ('failure' in answer) throw malformed([`evaluators.${key}`], answer.failure);
    }
  }

  /** The score of each evaluator for an example’s run. */
  async scores(given: readonly unknown[]): Promise<Score[]> {
    const why = given.map((one) => whyUnusable(one, MAX_GIVEN_BYTES)).find((one) => one !== undefined);
    if (why !== undefined)
      return this.#codes.map(([key]) => failed(key, `what it is given can’t be used: ${why}`));
    const json = JSON.stringify(given.map((one) => one ?? null));
    const scores: Score[] = [];
    for (const [key, code] of this.#codes) {
      if (this.#left_ms <= 0) scores.push(failed(key, 'the time that evaluators have together is over'));
      else scores.push(scoreOf(key, await this.#inTurn({ code, given: json })));
    }
    return scores;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  #inTurn(job: EvaluatorJob): Promise<EvaluatorAnswer> {
    const next = this.#last.then(() => this.#ask(job));
    this.#last = next;
    return next;
  }

  async #ask(job: EvaluatorJob): Promise<EvaluatorAnswer> {
    const worker = (this.#worker ??= startWorker());
    const { promise, resolve } = Promise.withResolvers<EvaluatorAnswer | undefined>();
    const answered = (answer: EvaluatorAnswer) => resolve(answer);
    const ended = () => resolve(undefined);
    const limit = setTimeout(ended, LIMIT_MS);
    worker.once('message', answered).once('error', ended).once('exit', ended);
    const began = performance.now();
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
      worker.postMessage(job);
      const answer = await promise;
      if (answer !== undefined) return answer;
      await this.#end();
      return { failure: 'takes too much time, memory or depth' };
    } finally {
      this.#left_ms -= performance.now() - began;
      clearTimeout(limit);
      worker.off('message', answered).off('error', ended).off('exit', ended);
    }
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

function startWorker(): Worker {
  const worker = new Worker(
    createRequire(import.meta.url).resolve('@roadstead/mcp-server/evaluator-worker'),
    {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, stackSizeMb: STACK_MB },
      env: {},
    },
  );
  // An error of a thread that is being ended has no receiver.
  worker.on('error', () => undefined);
  worker.unref();
  return worker;
}
