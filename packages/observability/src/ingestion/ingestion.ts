import type { Blobs } from '@roadstead/blobs';
import { Admission, type Clock, type Log, Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { type Digest, startDigest } from '../digest/digest-loop.ts';
import { placeDigested } from '../feedback/feedback-work.ts';
import { PriceBook } from '../prices/price-book.ts';
import { decideByFeedback, decideRules } from '../rules/rule-decision-work.ts';
import { type Allowance, createUsageGate } from '../usage/usage-gate.ts';
import { IngestQueue } from './ingest-queue.ts';
import { readBound, type SentTraces, type IntakeOutcome, takeTraces } from './intake-work.ts';

/**
 * Accepts and digests traces: here in the calling thread, in `ingestion-thread.ts` in one of its own. Disposing waits
 * until work under way is committed.
 */
export interface Ingestion extends Pick<Digest, 'wake' | 'caughtUp'>, AsyncDisposable {
  /**
   * Resolves once the body is committed. The bytes are handed over: the caller must not use them any more.
   * @throws Problem as `takeTraces` does; `unavailable` where it has ended, or ends before it has answered. The body
   * may then be stored, and may be sent again.
   */
  take(sent: SentTraces): Promise<IntakeOutcome>;
  /** The workspace's prices or limits were changed: the next request uses the present ones. */
  forget(workspace_id: string): void;
  /** Warnings for the operator, in sentences. */
  warnings(): Promise<string[]>;
}

export interface IngestionOf {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly log: Log;
  readonly allowance: Allowance;
}

export function openIngestion({ db, blobs, clock, log, allowance }: IngestionOf): Ingestion {
  const book = new PriceBook(db, clock);
  const gate = createUsageGate({ db, clock, allowance });
  const digest = startDigest({
    db,
    log,
    onDigested: async (tx, runs) => {
      await placeDigested(tx, runs);
      await decideRules(tx, runs);
    },
    isBusy: () => queue.is_busy,
  });
  const queue = new IngestQueue({
    db,
    blobs,
    book,
    clock,
    gate,
    onFeedback: decideByFeedback,
    written: digest.wake,
  });
  const reading = new Admission(readBound);
  const under_way = new Set<Promise<unknown>>();
  let isEnding = false;
  return {
    async take(sent) {
      if (isEnding) throw tracesAway();
      const taken = takeTraces({ queue, reading }, sent);
      under_way.add(taken);
      return taken.finally(() => under_way.delete(taken));
    },
    wake: digest.wake,
    caughtUp: digest.caughtUp,
    forget(workspace_id) {
      book.forget(workspace_id);
      gate.forget(workspace_id);
    },
    warnings: async () => digest.warnings(),
    async [Symbol.asyncDispose]() {
      isEnding = true;
      await Promise.allSettled(under_way);
      await queue[Symbol.asyncDispose]();
      await digest[Symbol.asyncDispose]();
    },
  };
}

/** The refusal after which clients send again. */
export const tracesAway = () =>
  new Problem('unavailable', 'No traces are accepted at the moment.', {
    hint: 'Try again in a moment.',
    retry_after_s: 2,
  });
