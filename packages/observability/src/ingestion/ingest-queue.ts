import type { Blobs } from '@roadstead/blobs';
import { type Clock, isOutage, Problem } from '@roadstead/kit';
import { type Database, GroupCommit } from '@roadstead/postgres';
import { withStoredBlobs } from '../attachments/blob-receipt-work.ts';
import type { OnFeedback } from '../feedback/feedback-work.ts';
import { ensurePartition } from '../partitions/partition-store.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { partitionsAhead, tableOf, weekOf } from '../partitions/week-rules.ts';
import { type IngestOutcome, type IngestRequest, writeFlush } from '../writing/flush-work.ts';
import { packed } from '../records/payload-packing.ts';
import { beginsTrace } from '../records/placement-rules.ts';
import { TraceRaceError } from '../records/trace-store.ts';
import { bytesOfRun, partsOfRequest } from '../writing/request-parts-rules.ts';
import type { UsageGate } from '../usage/usage-gate.ts';
import type { Operations } from '../records/run-operation.ts';
import type { InWorkspace } from '../values/keys.ts';

/**
 * Commits the operations of requests: while transactions are in flight, the next requests are collected into one. An
 * `add` resolves once they are committed.
 */

/** The cost of a run's row, as a number of payload bytes that take as long. */
const RUN_WEIGHT = 32_768;
/** The bytes of one transaction. */
const MAX_FLUSH_BYTES = 16_777_216;
const MAX_FLUSH_REQUESTS = 256;
/** While the database works on one transaction, the next is prepared; all lock traces in one order. */
const LANES = 2;
const ATTEMPTS = 5;
/** Deadlock, serialization failure, lock timeout, and no partition: dropped while it was written to. */
const transient = new Set(['40P01', '40001', '55P03', '23514']);

export interface IngestQueueOptions {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly book: PriceBook;
  readonly clock: Clock;
  /** Decides whether traces may begin. */
  readonly gate: Pick<UsageGate, 'requireRoom'>;
  readonly onFeedback: OnFeedback;
  /** Called with each workspace whose runs were committed. */
  readonly written: (workspace_id: string) => void;
}

export class IngestQueue implements AsyncDisposable {
  readonly #db: Database;
  readonly #blobs: Blobs;
  readonly #book: PriceBook;
  readonly #clock: Clock;
  readonly #gate: IngestQueueOptions['gate'];
  readonly #onFeedback: IngestQueueOptions['onFeedback'];
  readonly #written: IngestQueueOptions['written'];
  readonly #commit: GroupCommit<IngestRequest, IngestOutcome>;
  readonly #partitions = new Set<string>();

  constructor({ db, blobs, book, clock, gate, onFeedback, written }: IngestQueueOptions) {
    this.#db = db;
    this.#blobs = blobs;
    this.#book = book;
    this.#clock = clock;
    this.#gate = gate;
    this.#onFeedback = onFeedback;
    this.#written = written;
    this.#commit = new GroupCommit({ ...flushBound, flush: (requests) => this.#flush(requests) });
  }

  /** Whether requests wait for those that are being committed. */
  get is_busy(): boolean {
    return this.#commit.is_busy;
  }

  /**
   * Adds a request; `body-room.ts` limits how much may wait. Parts of a large request may be committed although
   * another part fails.
   * @throws Problem `limit` where the workspace may begin no more traces, `unavailable` during an outage of the
   * database; it is then unknown whether it was written, and it may be sent again.
   */
  async add(sent: Operations & InWorkspace): Promise<IngestOutcome> {
    if (beginsTrace(sent.runs)) await this.#gate.requireRoom(sent.workspace_id);
    const contents = sent.attachments.map(({ content }) => content);
    return withStoredBlobs({ blobs: this.#blobs, contents }, (stored) => {
      const attachments = sent.attachments.flatMap(({ run_id, name, content_type }, index) =>
        stored[index] === undefined ? [] : [{ run_id, name, content_type, ...stored[index] }],
      );
      return this.#addStored({ ...sent, attachments });
    });
  }

  async #addStored(request: IngestRequest): Promise<IngestOutcome> {
    try {
      const outcomes: IngestOutcome[] = [];
      for (const part of partsOfRequest(request)) {
        const runs = await packed(part.runs);
        outcomes.push(await this.#commit.add({ ...part, runs }));
      }
      return {
        refused: outcomes.flatMap(({ refused }) => refused),
        left_out: outcomes.flatMap(({ left_out }) => left_out),
        flattened: outcomes.flatMap(({ flattened }) => flattened),
      };
    } catch (error) {
      throw unavailableOr(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#commit.idle();
  }

  async #flush(requests: readonly IngestRequest[]): Promise<readonly IngestOutcome[]> {
    for (let attempt = 1; ; attempt += 1) {
      const now_ms = this.#clock.now();
      try {
        await this.#ensurePartitions(now_ms);
        const priceOf = await this.#book.of(requests.map((request) => request.workspace_id));
        const flush = { requests, now_ms, priceOf, onFeedback: this.#onFeedback };
        const outcomes = await this.#db.transaction((tx) => writeFlush(tx, flush));
        for (const workspace_id of new Set(requests.map((request) => request.workspace_id)))
          this.#written(workspace_id);
        return outcomes;
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error)) throw error;
      }
    }
  }

  async #ensurePartitions(now_ms: number): Promise<void> {
    const week = weekOf(now_ms);
    for (const key of partitionsAhead(now_ms).filter((one) => one.week === week)) {
      const name = tableOf('runs', key);
      if (this.#partitions.has(name)) continue;
      await ensurePartition(this.#db, key);
      this.#partitions.add(name);
    }
  }
}

/** The share of each workspace in one transaction: an equal weight. */
export const flushBound = {
  lanes: LANES,
  owner: ({ workspace_id }: IngestRequest) => workspace_id,
  max_items: MAX_FLUSH_REQUESTS,
  weigh: weightOf,
  max_weight: MAX_FLUSH_BYTES,
};

function weightOf(request: IngestRequest): number {
  const runs = request.runs.map((run) => RUN_WEIGHT + bytesOfRun(run));
  const feedback = request.feedback.map((one) => one.bytes);
  return [...runs, ...feedback].reduce((sum, bytes) => sum + bytes, 0);
}

function isTransient(error: unknown): boolean {
  if (error instanceof TraceRaceError) return true;
  return error instanceof Error && transient.has((error as Error & { code?: string }).code ?? '');
}

/** Clients repeat a request after 503, and give up after 500. */
function unavailableOr(error: unknown): unknown {
  if (error instanceof Problem || !(isOutage(error) || isTransient(error))) return error;
  return new Problem('unavailable', 'The database of traces is away.', {
    hint: 'Try again in a moment.',
    retry_after_s: 2,
    cause: error,
  });
}
