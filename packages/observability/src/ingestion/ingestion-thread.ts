import { createRequire, getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { isMarkedAsUntransferable, Worker } from 'node:worker_threads';
import { awsEnvironment, type Log, postgresEnvironment, Pulse, type PulseLimits } from '@roadstead/kit';
import { type Ingestion, tracesAway } from './ingestion.ts';
import {
  type WorkerRequest,
  errorOf,
  type IngestionWork,
  type Question,
  type WorkerMessage,
} from './ingestion-messages.ts';
import type { SentTraces, IntakeOutcome } from './intake-work.ts';

/** The size of the young generation, of whose objects few survive. A flag of the process wins. */
const YOUNG_MB = 32;
/** The pauses before it starts again, after it ended once, twice and so on within a minute. */
const PAUSES_MS = [0, 200, 1000, 5000] as const;
const FORGOTTEN_MS = 60_000;
/** Longer than a healthy thread takes to answer. */
const MAX_ANSWER_MS = 5000;
const LIMITS: ThreadLimits = { start_ms: 60_000, ping_ms: 2000, silent_ms: 5000, unresponsive_ms: 30_000 };
/** The time in which work under way must be committed when it is closed. */
const MAX_CLOSING_MS = 30_000;

/** Limits on a thread; one that exceeds them, for example in an endless loop, is ended and replaced. */
export interface ThreadLimits extends PulseLimits {
  /** The time in which it must load its modules. */
  readonly start_ms: number;
}

interface Call {
  readonly name: Question['name'];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Accepts traces and digests them on a thread of its own, so that the event loop of this one stays free. Where the
 * thread ends by itself or stops answering, waiting requests are refused, and another thread starts: answered
 * requests were committed before, and the next thread digests whatever else was written.
 */
export class IngestionThread implements Ingestion {
  readonly #work: IngestionWork;
  readonly #log: Log;
  readonly #limits: ThreadLimits;
  readonly #calls = new Map<number, Call>();
  #worker: Worker | undefined;
  #pulse: Pulse | undefined;
  #last_id = 0;
  /** When threads ended, within the last minute. */
  #ends: readonly number[] = [];
  #pause: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(work: IngestionWork, log: Log, limits = LIMITS) {
    this.#work = work;
    this.#log = log;
    this.#limits = limits;
    this.#start();
  }

  async take(sent: SentTraces): Promise<IntakeOutcome> {
    const bytes = ownBytes(sent.bytes);
    return this.#ask<IntakeOutcome>({ name: 'take', about: { ...sent, bytes } }, [bytes.buffer]);
  }

  wake(workspace_id: string): void {
    // A lost notice is made up for within seconds.
    this.#ask({ name: 'wake', about: workspace_id }).catch(() => undefined);
  }

  async caughtUp(workspace_id: string): Promise<void> {
    const caught = this.#ask({ name: 'caughtUp', about: workspace_id });
    await within(MAX_ANSWER_MS, caught).catch((error: unknown) =>
      this.#log.warn('digest failed before an answer', { workspace_id, error }),
    );
  }

  forget(workspace_id: string): void {
    // The next thread remembers nothing.
    this.#ask({ name: 'forget', about: workspace_id }).catch(() => undefined);
  }

  async warnings(): Promise<string[]> {
    const said = this.#ask<string[]>({ name: 'warnings', about: undefined });
    return within(MAX_ANSWER_MS, said).catch(() => [
      'No traces are accepted: the ingestion thread does not answer. If it has ended, the log shows why; it is restarted.',
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    clearTimeout(this.#pause);
    this.#pulse?.[Symbol.dispose]();
    const worker = this.#worker;
    // Where it ends earlier, nothing is left to wait for.
    await within(MAX_CLOSING_MS, this.#post({ name: 'close', about: undefined })).catch(() => undefined);
    await worker?.terminate();
  }

  async #ask<T>(question: Question, transferred: readonly ArrayBuffer[] = []): Promise<T> {
    if (this.#closing !== undefined) throw tracesAway();
    return (await this.#post(question, transferred)) as T;
  }

  async #post(question: Question, transferred: readonly ArrayBuffer[] = []): Promise<unknown> {
    if (this.#worker === undefined) throw tracesAway();
    this.#last_id += 1;
    const asked: WorkerRequest = { ...question, id: this.#last_id };
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#worker.postMessage(asked, transferred);
    this.#calls.set(asked.id, { name: asked.name, resolve, reject });
    return promise;
  }

  #start(): void {
    const cache = getCompileCacheDir();
    const worker = new Worker(
      createRequire(import.meta.url).resolve('@roadstead/observability/ingestion-worker'),
      {
        workerData: this.#work,
        env: {
          ...postgresEnvironment(),
          ...awsEnvironment(),
          ...(cache && { NODE_COMPILE_CACHE: dirname(cache) }),
        },
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      },
    );
    let reason: unknown;
    worker.on('message', (said: WorkerMessage) => this.#hear(said));
    worker.on('error', (error) => (reason = error));
    worker.once('exit', () => this.#ended(reason));
    this.#worker = worker;
    this.#watch(worker, (limit_ms) => {
      reason = new Error(`It did not answer for ${limit_ms / 1000} s and was ended (an endless loop?).`);
      void worker.terminate();
    });
  }

  #watch(worker: Worker, giveUp: (limit_ms: number) => void): void {
    const { start_ms, ...limits } = this.#limits;
    const ping = async () => this.#ask({ name: 'ping', about: undefined });
    const begin = () => {
      if (this.#closing !== undefined || this.#worker !== worker) return;
      this.#pulse = new Pulse({
        ...limits,
        ping,
        onSilent: () => this.#log.warn('the ingestion thread does not answer'),
        onBack: (after_ms) => this.#log.info('the ingestion thread answers again', { after_ms }),
        onLost: () => giveUp(limits.unresponsive_ms),
      });
    };
    within(start_ms, ping()).then(begin, () => giveUp(start_ms));
  }

  #hear(said: WorkerMessage): void {
    if ('line' in said) {
      const { level, message, fields } = said.line;
      this.#log[level](message, fields);
      return;
    }
    const call = this.#calls.get(said.id);
    this.#calls.delete(said.id);
    if ('failure' in said) call?.reject(errorOf(said.failure));
    else call?.resolve(said.value);
  }

  #ended(error: unknown): void {
    this.#worker = undefined;
    this.#pulse?.[Symbol.dispose]();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const { reject } of calls) reject(tracesAway());
    if (this.#closing !== undefined) return;
    const now = performance.now();
    this.#ends = [...this.#ends.filter((at) => at > now - FORGOTTEN_MS), now];
    const after_ms = PAUSES_MS[Math.min(this.#ends.length, PAUSES_MS.length) - 1] ?? 0;
    const refused = calls.filter(({ name }) => name === 'take').length;
    this.#log.warn('the ingestion thread ended', { refused, after_ms, error });
    if (after_ms === 0) this.#start();
    else this.#pause = setTimeout(() => this.#start(), after_ms);
  }
}

/** @throws Error when it takes longer. */
async function within<T>(limit_ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer came within ${limit_ms / 1000} s.`)), limit_ms);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The same bytes in memory of their own, which can be transferred; small bodies share theirs with others. */
function ownBytes(bytes: Buffer): Buffer<ArrayBuffer> {
  const { buffer } = bytes;
  const isOwn =
    buffer instanceof ArrayBuffer &&
    bytes.byteLength === buffer.byteLength &&
    !isMarkedAsUntransferable(buffer);
  if (isOwn) return bytes as Buffer<ArrayBuffer>;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
