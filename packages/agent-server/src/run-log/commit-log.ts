import { type Log, Problem } from '@roadstead/kit';
import { isConnectionError, isTooSlow } from '@roadstead/postgres';
import type { PutWithBlobs, WritesWithBlobs } from '../checkpoints/checkpoint-store.ts';
import { retryOutages } from '../database/outages.ts';
import type { WriteBatch } from './write-store.ts';
import type { FinishRecord } from '../runs/records.ts';
import { weightOf } from './weight.ts';

type Entry =
  | { readonly kind: 'put'; readonly run_id: string; readonly item: PutWithBlobs }
  | { readonly kind: 'writes'; readonly run_id: string; readonly item: WritesWithBlobs }
  | { readonly kind: 'finish'; readonly run_id: string; readonly item: FinishRecord }
  /** A mark writes nothing: it resolves when all before it is committed. */
  | { readonly kind: 'mark'; readonly run_id: '' };
/** `now` if somebody waits for the entry, `soon` if it may wait for company. */
export type Urgency = 'now' | 'soon';
type QueuedEntry = Entry & {
  readonly urgency: Urgency;
  readonly weight: number;
  readonly resolve: (committed: boolean) => void;
  readonly reject: (error: unknown) => void;
};

export interface CommitLogOptions {
  /** Writes a batch in one commit; answers the runs that ended by it. */
  readonly flush: (batch: WriteBatch) => Promise<ReadonlySet<string>>;
  /** Whether this attempt's end is in the database: asked when the answer to a commit was lost. */
  readonly hasEnded: (finish: FinishRecord) => Promise<boolean>;
  readonly log: Log;
  /** Aborted when the database is not waited for any more. */
  readonly closed: AbortSignal;
  /** The most bytes that may wait. */
  readonly max_waiting_bytes?: number;
}

const MAX_ENTRIES = 500;
/** The most bytes of one statement, unless it has a single entry: what fits alone must not fail in company. */
export const MAX_GROUP_BYTES = 16 * 1024 * 1024;
const MAX_WAITING_BYTES = 256 * 1024 * 1024;
/** The delay within which unawaited writes are committed: a run that ends sooner costs one statement. */
const SOON_MS = 10;

/**
 * Writes the entries of all runs in the order of their coming: while one statement is in flight, the next entries are
 * collected. So the end of a run is committed with or after everything that it wrote. Checkpoints that nobody awaits
 * (durability `async`) wait a moment for more. While the database is away the log waits, and takes a bounded number of
 * bytes; a refused entry fails only its own run.
 */
export class CommitLog implements AsyncDisposable {
  readonly #options: CommitLogOptions;
  #waiting: QueuedEntry[] = [];
  /** The bytes that wait or are in flight. */
  #bytes = 0;
  #soon: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: CommitLogOptions) {
    this.#options = options;
  }

  put(run_id: string, item: PutWithBlobs, urgency: Urgency): Promise<boolean> {
    return this.#add({ kind: 'put', run_id, item }, urgency);
  }

  writes(run_id: string, item: WritesWithBlobs, urgency: Urgency): Promise<boolean> {
    return this.#add({ kind: 'writes', run_id, item }, urgency);
  }

  /** False when the attempt is stale. */
  finish(item: FinishRecord): Promise<boolean> {
    return this.#add({ kind: 'finish', run_id: item.run_id, item }, 'now');
  }

  /** Resolves once all earlier entries are committed or refused. */
  async caughtUp(): Promise<void> {
    if (this.#running === undefined && this.#waiting.length === 0) return;
    await this.#add({ kind: 'mark', run_id: '' }, 'now').catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.caughtUp();
    await this.#running;
  }

  #add(entry: Entry, urgency: Urgency): Promise<boolean> {
    const weight = entry.kind === 'mark' ? 0 : weightOf(entry.item);
    const { max_waiting_bytes = MAX_WAITING_BYTES } = this.#options;
    // An end is always taken: there is one for each run, and without it the run would never end.
    const may_wait = entry.kind === 'finish' || entry.kind === 'mark' || this.#bytes === 0;
    if (!may_wait && this.#bytes + weight > max_waiting_bytes)
      return Promise.reject(new Problem('unavailable', 'The database can’t keep up with what runs write.'));
    this.#bytes += weight;
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    this.#waiting.push({ ...entry, urgency, weight, resolve, reject });
    if (urgency === 'now') this.#start();
    else this.#startSoon();
    return promise;
  }

  #startSoon(): void {
    if (this.#running === undefined) this.#soon ??= setTimeout(() => this.#start(), SOON_MS);
  }

  #start(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#running ??= this.#drain();
  }

  async #drain(): Promise<void> {
    do {
      // Collects all entries of this turn of the event loop into one statement.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const group = this.#take();
      await this.#write(group);
      for (const { weight } of group) this.#bytes -= weight;
    } while (this.#waiting.some((entry) => entry.urgency === 'now'));
    this.#running = undefined;
    if (this.#waiting.length > 0) this.#startSoon();
  }

  #take(): QueuedEntry[] {
    let count = 0;
    let bytes = 0;
    for (const { weight } of this.#waiting) {
      bytes += weight;
      if (count > 0 && (count >= MAX_ENTRIES || bytes > MAX_GROUP_BYTES)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(batch: readonly QueuedEntry[]): Promise<void> {
    try {
      const ended = await this.#flush(batch);
      for (const entry of batch) entry.resolve(entry.kind !== 'finish' || ended.has(entry.run_id));
    } catch (error) {
      const runs = Map.groupBy(batch, (entry) => entry.run_id);
      if (runs.size > 1 && (!isConnectionError(error) || isTooSlow(error)))
        for (const entries of runs.values()) await this.#write(entries);
      else this.#refuse(batch, error);
    }
  }

  /** Also refuses later entries of these runs, their ends included: they build on what is missing now. */
  #refuse(batch: readonly QueuedEntry[], error: unknown): void {
    const runs = new Set(batch.flatMap(({ run_id }) => (run_id === '' ? [] : [run_id])));
    const since = this.#waiting.filter(({ run_id }) => runs.has(run_id));
    this.#waiting = this.#waiting.filter(({ run_id }) => !runs.has(run_id));
    for (const { weight } of since) this.#bytes -= weight;
    for (const entry of [...batch, ...since]) entry.reject(error);
  }

  async #flush(batch: readonly QueuedEntry[]): Promise<ReadonlySet<string>> {
    if (batch.every((entry) => entry.kind === 'mark')) return new Set();
    const one = batchOf(batch);
    const { flush, hasEnded, closed, log } = this.#options;
    const onOutage = (error: unknown) => log.warn('the database is not reachable; writes wait', { error });
    const write = async (attempt: number) => {
      const ended = new Set(await flush(one));
      const unsure = attempt === 0 ? [] : one.finishes.filter((finish) => !ended.has(finish.run_id));
      for (const finish of unsure) if (await hasEnded(finish)) ended.add(finish.run_id);
      return ended;
    };
    return retryOutages(write, { closed, onOutage });
  }
}

function batchOf(entries: readonly Entry[]): WriteBatch {
  return {
    puts: entries.flatMap((entry) => (entry.kind === 'put' ? [entry.item] : [])),
    writes: entries.flatMap((entry) => (entry.kind === 'writes' ? [entry.item] : [])),
    finishes: entries.flatMap((entry) => (entry.kind === 'finish' ? [entry.item] : [])),
  };
}
